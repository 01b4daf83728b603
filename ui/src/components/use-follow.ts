// Keeps the growing end of a box in view until the user scrolls away, and again once they scroll back.
import { type RefObject, useCallback, useRef } from "react";

/**
 * The distance from the end, in pixels, within which the user counts as having scrolled back to the end. It
 * spans some lines, since the text keeps growing while the user scrolls by key.
 */
const NEAR_END_PX = 100;

const atEnd = (box: HTMLElement): number => box.scrollHeight - box.clientHeight;

export interface Following {
  /** Scrolls to the end, unless the user has scrolled away. Call this when the box has grown. */
  follow: () => void;
  /** Returns whether the box follows its end. This is false after the user has scrolled away. */
  follows: () => boolean;
  onScroll: () => void;
}

/**
 * Keeps the end of a box in view. `place` returns the scroll position in pixels, by default that of the end.
 */
export function useFollow(
  box: RefObject<HTMLElement | null>,
  place: (box: HTMLElement) => number = atEnd,
): Following {
  const near = useRef(true);
  const last = useRef(0);
  const follow = useCallback(() => {
    if (!near.current || !box.current) return;
    // The user has scrolled back, but the scroll event has not arrived yet. When the content of a box
    // shrinks, the browser scrolls the box; this does not count as scrolling back.
    if (box.current.scrollTop < Math.min(last.current, atEnd(box.current)) - 1) {
      near.current = false;
      return;
    }
    box.current.scrollTop = place(box.current);
    last.current = box.current.scrollTop;
  }, [box, place]);
  const onScroll = useCallback(() => {
    if (!box.current) return;
    const top = box.current.scrollTop;
    // Any movement back counts: a touch pad moves a few pixels at a time, and following the next piece of
    // text would undo the movement.
    if (top < last.current - 1) near.current = false;
    else if (top > last.current + 1) near.current = Math.abs(place(box.current) - top) < NEAR_END_PX;
    last.current = top;
  }, [box, place]);
  const follows = useCallback(() => near.current, []);
  return { follow, follows, onScroll };
}
