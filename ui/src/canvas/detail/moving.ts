// While the view or a node moves the canvas has the class `moving`, so that the stylesheet can leave out what costs most.
import { type RefObject, useEffect, useMemo } from "react";
import type { DeferredView } from "./current-view";

/** Moves often follow each other: the class stays this long after one, in milliseconds. */
const LINGER_MS = 180;

/** What xyflow calls when a move begins, continues and ends. The functions never change. */
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
      canvas.current?.classList.add("moving");
    };
    const end = () => {
      clearTimeout(timer);
      timer = setTimeout(() => canvas.current?.classList.remove("moving"), LINGER_MS);
    };
    return {
      view: {
        start: (event: MouseEvent | TouchEvent | null) => {
          // Without an event a command moves the view.
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
