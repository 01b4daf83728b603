// While the view or a node moves. A class of the canvas says so: meanwhile the boxes of a flow seen from afar, which its
// bitmap shows, are not looked at one by one (see the stylesheet).
import { type RefObject, useEffect, useMemo } from "react";

/** Moves often follow each other; the class stays this long after one, in milliseconds. */
const REST_MS = 180;

/** What xyflow calls when a move begins, goes on and ends; the same functions always. */
export function useMoves(
  canvas: RefObject<HTMLElement | null>,
  movedByHand: RefObject<boolean>,
  onDrag: { start: () => void; stop: () => void },
) {
  const moves = useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = () => {
      clearTimeout(timer);
      canvas.current?.classList.add("moving");
    };
    const end = () => {
      clearTimeout(timer);
      timer = setTimeout(() => canvas.current?.classList.remove("moving"), REST_MS);
    };
    return {
      view: {
        start: (event: MouseEvent | TouchEvent | null) => {
          // Without an event it is the camera that moves.
          if (event) movedByHand.current = true;
          begin();
        },
        move: begin,
        end,
      },
      drag: {
        start: () => {
          onDrag.start();
          begin();
        },
        stop: () => {
          onDrag.stop();
          end();
        },
      },
    };
  }, [canvas, movedByHand, onDrag]);
  useEffect(() => () => moves.view.end(), [moves]);
  return moves;
}
