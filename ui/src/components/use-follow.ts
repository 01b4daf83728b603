// Keeps what grows in a box in view, until somebody scrolls away from it, and again once they are back.
import { type RefObject, useCallback, useRef } from "react";

/** Pixels: whoever is as near as that is still there. */
const NEAR = 24;

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
  const follow = useCallback(() => {
    if (near.current && box.current) box.current.scrollTop = place(box.current);
  }, [box, place]);
  const onScroll = useCallback(() => {
    if (box.current) near.current = Math.abs(place(box.current) - box.current.scrollTop) < NEAR;
  }, [box, place]);
  const follows = useCallback(() => near.current, []);
  return { follow, follows, onScroll };
}
