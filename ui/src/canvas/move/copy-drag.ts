// A drag that ends with Alt pressed leaves the nodes in place and drops copies.
import { useEffect } from "react";
import { copyBy } from "../../commands/duplicate";
import { useDocument } from "../../document/document";
import type { Point } from "../../kernels/geometry";
import { plural } from "../../runs/words/format";

let isAltHeld = false;

/**
 * Records whether Alt is pressed when the pointer is released, because xyflow reports the end of a drag
 * without modifier keys.
 */
export function useCopyDrag(): void {
  useEffect(() => {
    const onRelease = (event: PointerEvent) => {
      isAltHeld = event.altKey;
    };
    window.addEventListener("pointerup", onRelease, { capture: true });
    return () => {
      isAltHeld = false;
      window.removeEventListener("pointerup", onRelease, { capture: true });
    };
  }, []);
}

/**
 * Places copies of the nodes at their dropped positions if Alt is pressed. Returns false if it is not, so
 * that the nodes themselves move.
 */
export function copyInstead(places: ReadonlyMap<string, Point>): boolean {
  if (!isAltHeld) return false;
  const { nodes } = useDocument.getState().document;
  const [first] = places;
  const from = nodes.find(({ id }) => id === first?.[0])?.position;
  if (!first || !from) return false;
  const offset = { x: first[1].x - from.x, y: first[1].y - from.y };
  void copyBy([...places.keys()], offset, `Copy ${plural(places.size, "node")}`);
  return true;
}
