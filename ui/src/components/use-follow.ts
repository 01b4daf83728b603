// Keeps what grows in a box in view, until somebody scrolls away from it, and again once they are back.
import { type RefObject, useCallback, useRef } from "react";

/** Pixels: whoever comes as near as that is back. Some lines, since what grows has grown on by the time a key has scrolled it. */
const NEAR_END_PX = 100;

const atEnd = (box: HTMLElement): number => box.scrollHeight - box.clientHeight;

export interface Following {
  /** Call it when the box has grown. */
  follow: () => void;
  /** Whether nobody has scrolled away. */
  follows: () => boolean;
  onScroll: () => void;
}

/** `place` gives how far the box is to be scrolled, in pixels; without it, to its end. */
export function useFollow(
  box: RefObject<HTMLElement | null>,
  place: (box: HTMLElement) => number = atEnd,
): Following {
  const near = useRef(true);
  const last = useRef(0);
  const follow = useCallback(() => {
    if (!near.current || !box.current) return;
    // Somebody scrolls back, and the page has not said so yet. A box that holds less than before is moved by itself.
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
    // Back by however little: on a touch pad it is a few pixels at a time, and the next piece would undo them.
    if (top < last.current - 1) near.current = false;
    else if (top > last.current + 1) near.current = Math.abs(place(box.current) - top) < NEAR_END_PX;
    last.current = top;
  }, [box, place]);
  const follows = useCallback(() => near.current, []);
  return { follow, follows, onScroll };
}
