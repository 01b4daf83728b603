// Snaps dragged nodes to other cards. The unmoved cards are read once per drag.
import type { NodePositionChange } from "@xyflow/react";
import { create } from "zustand";
import { type Box, boundsOf } from "../../kernels/geometry";
import { type Guide, snapped } from "../../kernels/guides";
import { canvasView } from "../../session/canvas-view";

/** The snapping distance, in screen pixels. */
const REACH = 6;

export const useGuides = create<{ guides: readonly Guide[] }>()(() => ({ guides: [] }));

interface Drag {
  /** The sizes of the dragged nodes. */
  sizes: ReadonlyMap<string, { width: number; height: number }>;
  others: readonly Box[];
}

let drag: Drag | null = null;

function begin(moving: readonly NodePositionChange[]): Drag {
  const ids = new Set(moving.map((change) => change.id));
  const view = canvasView();
  const boxes = view?.boxes() ?? new Map<string, Box>();
  const sizes = new Map(
    [...boxes].flatMap(([id, box]) =>
      ids.has(id) ? [[id, { width: box.right - box.left, height: box.bottom - box.top }] as const] : [],
    ),
  );
  const others = [...boxes].flatMap(([id, box]) => (ids.has(id) || !view?.inView(box) ? [] : [box]));
  return { sizes, others };
}

/** Returns the changes of a drag, moved to align with other cards. */
export function alongGuides(changes: readonly NodePositionChange[], zoom: number): NodePositionChange[] {
  drag ??= begin(changes);
  const { sizes, others } = drag;
  const boxes = changes.flatMap(({ id, position }) => {
    const size = sizes.get(id);
    if (!position || !size) return [];
    return [
      { left: position.x, top: position.y, right: position.x + size.width, bottom: position.y + size.height },
    ];
  });
  const all = boundsOf(boxes);
  if (!all) return [...changes];
  const { by, guides } = snapped(all, others, REACH / zoom);
  useGuides.setState({ guides });
  if (by.x === 0 && by.y === 0) return [...changes];
  return changes.map((change) =>
    change.position
      ? { ...change, position: { x: change.position.x + by.x, y: change.position.y + by.y } }
      : change,
  );
}

export function endGuides(): void {
  drag = null;
  if (useGuides.getState().guides.length > 0) useGuides.setState({ guides: [] });
}
