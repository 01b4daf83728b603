// While the view or a node moves, the drawing is a layer of its own: moving it then costs no repaint. Afterwards it
// is drawn again at its own scale, because a layer stays blurred when it is enlarged.
import { type RefObject, useEffect, useMemo } from "react";

/** Moves often follow each other; the layer stays this long after one, in milliseconds. */
const REST_MS = 180;

export function useMovingLayer(canvas: RefObject<HTMLElement | null>): {
  start: () => void;
  end: () => void;
} {
  const layer = useMemo(() => {
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
  useEffect(() => () => layer.end(), [layer]);
  return layer;
}
