// Keeps the growing end of a box in view until a person scrolls away, and again once they scroll back.
import { type RefObject, useCallback, useRef } from "react";

/**
 * The distance from the end in pixels that counts as having scrolled back. It is some lines, since the text
 * keeps growing while a key scrolls.
 */
const NEAR_END_PX = 100;

const atEnd = (box: HTMLElement): number => box.scrollHeight - box.clientHeight;

export interface Following {
  /** Scrolls to the end. Call it when the box has grown. */
  follow: () => void;
  /** Returns whether the box follows its end, because nobody has scrolled away. */
  follows: () => boolean;
  onScroll: () => void;
}

/** Follows the end of a box. `place` returns the scroll position in pixels; the default is the end. */
export function useFollow(
  box: RefObject<HTMLElement | null>,
  place: (box: HTMLElement) => number = atEnd,
): Following {
  const near = useRef(true);
  const last = useRef(0);
  const follow = useCallback(() => {
    if (!near.current || !box.current) return;
    // A person scrolls back and the event has not arrived yet. A box whose content shrank is scrolled by
    // itself and does not count.
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
    // Any move back counts: a touch pad moves a few pixels at a time, and the next piece of text would undo
    // them.
    if (top < last.current - 1) near.current = false;
    else if (top > last.current + 1) near.current = Math.abs(place(box.current) - top) < NEAR_END_PX;
    last.current = top;
  }, [box, place]);
  const follows = useCallback(() => near.current, []);
  return { follow, follows, onScroll };
}
