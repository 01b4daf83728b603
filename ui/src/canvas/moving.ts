// While the view or a node moves. A class of the canvas says so: meanwhile the boxes of a flow seen from afar, which its
// bitmap shows, are not looked at one by one (see the stylesheet).
import { type RefObject, useEffect, useMemo } from "react";
import type { HeldView } from "./live-view";

/** Moves often follow each other; the class stays this long after one, in milliseconds. */
const REST_MS = 180;

/** What xyflow calls when a move begins, goes on and ends; the same functions always. */
export function useMoves(
  canvas: RefObject<HTMLElement | null>,
  movedByHand: RefObject<boolean>,
  onDrag: { start: () => void; stop: () => void },
  held: Pick<HeldView, "begin" | "end">,
) {
  const { begin: hold, end: settle } = held;
  const moves = useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let dragging = false;
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
          if (event && !dragging) hold();
          else settle();
          begin();
        },
        move: begin,
        end: () => {
          settle();
          end();
        },
      },
      drag: {
        start: () => {
          dragging = true;
          settle();
          onDrag.start();
          begin();
        },
        stop: () => {
          dragging = false;
          onDrag.stop();
          end();
        },
      },
    };
  }, [canvas, movedByHand, onDrag, hold, settle]);
  useEffect(() => () => moves.view.end(), [moves]);
  return moves;
}
