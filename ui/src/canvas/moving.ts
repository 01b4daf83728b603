// Says by a class of the canvas that the view moves: meanwhile the boxes of a flow seen from afar, which its bitmap shows,
// are not looked at one by one (see the stylesheet).
import { type RefObject, useEffect, useMemo } from "react";

/** Moves often follow each other; the class stays this long after one, in milliseconds. */
const REST_MS = 180;

export function useMoving(canvas: RefObject<HTMLElement | null>): { start: () => void; end: () => void } {
  const moving = useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    return {
      start: () => {
        clearTimeout(timer);
        canvas.current?.classList.add("moving");
      },
      end: () => {
        clearTimeout(timer);
        timer = setTimeout(() => canvas.current?.classList.remove("moving"), REST_MS);
      },
    };
  }, [canvas]);
  useEffect(() => () => moving.end(), [moving]);
  return moving;
}
