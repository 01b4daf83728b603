// Sets the attribute `data-moving` of the canvas while the view or a node moves, so that the stylesheet can skip
// expensive effects.
import { type RefObject, useEffect, useMemo } from "react";
import type { DeferredView } from "./current-view";

/**
 * The time for which the attribute `data-moving` stays after a move, in milliseconds. One move often follows
 * another.
 */
const LINGER_MS = 180;

/**
 * Returns the callbacks for xyflow when a move begins, continues and ends. They stay the same between
 * renders.
 */
export function useMoves(
  canvas: RefObject<HTMLElement | null>,
  movedByHand: RefObject<boolean>,
  onDrag: { start: () => void; stop: () => void },
  deferred: Pick<DeferredView, "begin" | "end">,
) {
  const { begin: defer, end: settle } = deferred;
  const moves = useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let dragging = false;
    const begin = () => {
      clearTimeout(timer);
      canvas.current?.setAttribute("data-moving", "");
    };
    const end = () => {
      clearTimeout(timer);
      timer = setTimeout(() => canvas.current?.removeAttribute("data-moving"), LINGER_MS);
    };
    return {
      view: {
        start: (event: MouseEvent | TouchEvent | null) => {
          // A move without an event was started by a command, not by hand.
          if (event) movedByHand.current = true;
          if (event && !dragging) defer();
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
  }, [canvas, movedByHand, onDrag, defer, settle]);
  useEffect(() => () => moves.view.end(), [moves]);
  return moves;
}
