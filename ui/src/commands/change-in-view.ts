// Undo and redo leave the view where it is, unless what they change is out of view, or nothing at all is left in it.
import { useDocument } from "../document/document";
import type { FlowNode } from "../ipc/generated/bindings";
import { afterNextDraw, type CanvasView } from "../session/canvas-view";

const byId = (nodes: readonly FlowNode[]) => new Map(nodes.map((node) => [node.id, node]));

/** The nodes that came or moved. */
function placedAnew(before: ReadonlyMap<string, FlowNode>, after: readonly FlowNode[]): string[] {
  return after.flatMap(({ id, position }) => {
    const was = before.get(id)?.position;
    return was?.x === position.x && was.y === position.y ? [] : [id];
  });
}

/** The node that is nearest to the middle of the view. */
function nearest(view: CanvasView): string | undefined {
  const { x, y } = view.centre();
  const far = [...view.boxes()].map(([id, box]): [string, number] => [
    id,
    Math.hypot((box.left + box.right) / 2 - x, (box.top + box.bottom) / 2 - y),
  ]);
  return far.sort((a, b) => a[1] - b[1])[0]?.[0];
}

function showChanged(view: CanvasView, ids: readonly string[]): void {
  const boxes = view.boxes();
  const isSeen = (id: string) => {
    const box = boxes.get(id);
    return box !== undefined && view.inView(box);
  };
  const present = ids.filter((id) => boxes.has(id));
  if (present.some(isSeen)) return;
  const lost = ![...boxes.keys()].some(isSeen);
  const target = present[0] ?? (lost ? nearest(view) : undefined);
  if (target !== undefined) view.keepInView([target]);
}

/** Makes a change of the document, and shows what it changed. */
export function changeInView(change: () => unknown): void {
  const { document, place } = useDocument.getState();
  change();
  const now = useDocument.getState();
  if (now.document === document || now.place !== place) return;
  const ids = placedAnew(byId(document.nodes), now.document.nodes);
  afterNextDraw((view) => showChanged(view, ids));
}
