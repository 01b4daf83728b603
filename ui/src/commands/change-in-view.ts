// Decides what is visible after a change. Undo and redo keep the view, unless the changed nodes are out of
// view or the view would be empty. After a fix, the changed nodes are brought into view.
import { useDocument } from "../document/document";
import type { Edit, FlowDoc, FlowNode } from "../ipc/generated/bindings";
import { afterNextDraw, type CanvasView } from "../session/canvas-view";

const byId = (nodes: readonly FlowNode[]) => new Map(nodes.map((node) => [node.id, node]));

/** Returns the ids of the nodes that were added or moved. */
function placedAgain(before: ReadonlyMap<string, FlowNode>, after: readonly FlowNode[]): string[] {
  return after.flatMap(({ id, position }) => {
    const was = before.get(id)?.position;
    return was?.x === position.x && was.y === position.y ? [] : [id];
  });
}

/** Returns the id of the node closest to the centre of the view; undefined if no node is drawn. */
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

/** Makes a change to the document and shows the changed nodes. */
export function changeInView(change: () => unknown): void {
  const { document, place } = useDocument.getState();
  change();
  const now = useDocument.getState();
  if (now.document === document || now.place !== place) return;
  const ids = placedAgain(byId(document.nodes), now.document.nodes);
  void afterNextDraw((view) => showChanged(view, ids));
}

/**
 * Returns the ids of the nodes that the edits affect: the added ones, otherwise the ends of changed wires and
 * the nodes whose settings change.
 */
function nodesOf(edits: readonly Edit[], before: FlowDoc): string[] {
  const added = edits.flatMap((edit) => (edit.op === "add_node" ? [edit.node.id] : []));
  if (added.length > 0) return added;
  const wires = new Map(before.edges.map((edge) => [edge.id, edge]));
  const ids = edits.flatMap((edit) => {
    switch (edit.op) {
      case "add_edge":
      case "update_edge":
        return [edit.edge.source, edit.edge.target];
      case "remove_edge": {
        const wire = wires.get(edit.id);
        return wire ? [wire.source, wire.target] : [];
      }
      case "set_data":
        return [edit.node];
      default:
        return [];
    }
  });
  return [...new Set(ids)];
}

/**
 * Shows these nodes with the smallest possible move. If they do not all fit, shows one that is already
 * visible, otherwise the first.
 */
function showThese(view: CanvasView, ids: readonly string[]): void {
  const boxes = view.boxes();
  const present = ids.flatMap((id) => {
    const box = boxes.get(id);
    return box ? [{ id, box }] : [];
  });
  const [first] = present;
  if (!first) return;
  const free = view.freeSize();
  const span = (low: "left" | "top", high: "right" | "bottom") =>
    view.zoom() *
    (Math.max(...present.map(({ box }) => box[high])) - Math.min(...present.map(({ box }) => box[low])));
  const fits = span("left", "right") <= free.width && span("top", "bottom") <= free.height;
  const one = present.find(({ box }) => view.inView(box)) ?? first;
  view.keepInView(fits ? present.map(({ id }) => id) : [one.id]);
}

/** Shows the nodes changed by edits, once they are drawn. `before` is the previous document. */
export function showEdits(edits: readonly Edit[], before: FlowDoc): void {
  const ids = nodesOf(edits, before);
  if (ids.length > 0) void afterNextDraw((view) => showThese(view, ids));
}
