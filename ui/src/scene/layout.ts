// Lays out the whole flow to fit the shape of the canvas, or a part of it in layers. A layout is one undo
// entry, and the cards move to their new places.
import { useAnalysis } from "../document/analysis";
import { useDocument } from "../document/document";
import { moveNodes } from "../document/edits";
import type { Point } from "../kernels/geometry";
import { ANIMATE_BELOW, type LayeredEdge, type LayeredRegion, layered } from "../kernels/layered";
import type { LayoutNode } from "../kernels/layout";
import { CARD_SIZE } from "../kernels/placement";
import { shapedLayout } from "../kernels/shaped";
import { canvasView } from "../session/canvas-view";
import { groupOfNode, standIn } from "./folds";
import { withFolded } from "./hidden-nodes";
import { useScene } from "./scene";
import { endsOf } from "./wires";

/** Returns the drawn nodes to lay out: those in `only`, or all if it is null. */
function sceneNodes(only: ReadonlySet<string> | null): LayoutNode[] {
  const { document } = useDocument.getState();
  const { hiddenBy, folds } = useScene.getState();
  const byId = new Map(document.nodes.map((node) => [node.id, node]));
  const boxes = canvasView()?.boxes();
  const groups = folds.filter((fold) => groupOfNode(fold.id) !== null).map((fold) => standIn(fold, byId));
  const nodes = [...document.nodes.filter((node) => !hiddenBy.has(node.id)), ...groups];
  const meant = only && new Set([...only].map((id) => hiddenBy.get(id) ?? id));
  return nodes
    .filter((node) => meant === null || meant.has(node.id))
    .map(({ id, position }) => {
      const box = boxes?.get(id);
      const size = box ? { width: box.right - box.left, height: box.bottom - box.top } : CARD_SIZE;
      return { id, position, ...size };
    });
}

function sceneEdges(): LayeredEdge[] {
  return useScene
    .getState()
    .wires.filter((wire) => wire.loop === null)
    .map((wire) => {
      const { source, target } = endsOf(wire);
      return { source, target };
    });
}

function sceneRegions(): LayeredRegion[] {
  const { hiddenBy } = useScene.getState();
  return useAnalysis.getState().analysis.regions.map(({ start, body, end, depth }) => {
    const nodes = [start, ...body, ...(end === null ? [] : [end])].map((id) => hiddenBy.get(id) ?? id);
    return { start, nodes: [...new Set(nodes)], depth };
  });
}

/** The canvas size that is assumed while no canvas is mounted, in pixels. */
const USUAL_AREA = { width: 900, height: 700 };

/**
 * Returns new positions for the nodes in `only`. If `only` is null, returns positions for all nodes, which
 * fit the shape of the canvas.
 */
function newPlaces(only: ReadonlySet<string> | null): Map<string, Point> {
  const nodes = sceneNodes(only);
  if (nodes.length === 0) return new Map();
  const origin = {
    x: Math.min(...nodes.map(({ position }) => position.x)),
    y: Math.min(...nodes.map(({ position }) => position.y)),
  };
  const [edges, regions] = [sceneEdges(), sceneRegions()];
  if (only !== null) return layered(nodes, edges, regions, origin);
  return shapedLayout(nodes, edges, regions, origin, canvasView()?.freeSize() ?? USUAL_AREA);
}

/**
 * Lays out nodes and applies the result as one undo entry. Does nothing if the document changes meanwhile.
 */
export async function layOut(only: ReadonlySet<string> | null, label: string): Promise<void> {
  const before = useDocument.getState().document;
  await canvasView()?.measureAll();
  const places = newPlaces(only);
  if (useDocument.getState().document !== before || places.size === 0) return;
  if (places.size < ANIMATE_BELOW) await canvasView()?.moveTo(places);
  useDocument.getState().edit(moveNodes(withFolded(places)), { label });
  if (only === null) canvasView()?.fit();
}

/**
 * Places the nodes of a flow whose file has no positions. This is not an edit, so there is nothing to undo.
 */
export async function placeUnplaced(): Promise<void> {
  const before = useDocument.getState().document;
  const places = newPlaces(null);
  const { document, settle } = useDocument.getState();
  if (document === before) settle(moveNodes(withFolded(places)));
  canvasView()?.fit();
}
