// Inserts an offered node at a position, into a wire, or at the end of a wire. Each insertion is one undo
// entry.
import { useAnalysis } from "../../document/analysis";
import { newEdge, newNode, type Offer, splitEdge } from "../../document/build";
import { useDocument } from "../../document/document";
import type { DocumentEdit } from "../../document/document-edit";
import { addNode, combineEdits, connect, moveNodes, updateEdge } from "../../document/edits";
import { joinGroups } from "../../document/groups";
import type { FlowEdge, FlowNode, HandleInfo } from "../../ipc/generated/bindings";
import { type Box, frameOf, type Point, snapPoint } from "../../kernels/geometry";
import { HULL_PAD, hullSpan } from "../../kernels/hull";
import { regionIds } from "../../kernels/nested-hulls";
import {
  CARD_SIZE,
  freePlace,
  INSERT_MARGIN,
  placeAtWireEnd,
  roomBetween,
  type Size,
} from "../../kernels/placement";
import { reachableNodes } from "../../kernels/reach";
import { handlesNow, useScene } from "../../scene/scene";
import { canvasView, showAdded } from "../../session/canvas-view";
import type { WireEnd } from "../../session/connecting";
import { typesFit } from "../view/fit";

const primary = (
  handles: readonly HandleInfo[],
  fits: (handle: HandleInfo) => boolean,
): HandleInfo | undefined => [...handles].sort((a, b) => Number(b.primary) - Number(a.primary)).find(fits);

/**
 * Adds the node together with the given edits, as one undo entry, and focuses its card. If the node's
 * position is inside a group's frame, the node joins the group.
 */
function apply(label: string, node: FlowNode, ...edits: readonly DocumentEdit[]): void {
  const { x, y } = node.position;
  const box = { left: x, top: y, right: x + CARD_SIZE.width, bottom: y + CARD_SIZE.height };
  const joins = joinGroups(new Map([[node.id, box]]), canvasView()?.boxes() ?? new Map());
  const nodeId = node.id;
  useDocument.getState().edit(combineEdits(addNode(node), ...edits, joins), { label, select: [nodeId] });
  canvasView()?.focus(nodeId);
  // The nearest free place may be outside the view.
  showAdded([nodeId]);
}

/** Adds the node with its top left corner at `at`, on the grid. Returns the node's id. */
export function insertAt(offer: Offer, at: Point): string {
  const node = newNode(useDocument.getState().document, offer, snapPoint(at));
  apply(`Add ${offer.title}`, node);
  return node.id;
}

/** Adds the node at `at`, or in the nearest free place. Returns the node's id. */
export const insertFree = (offer: Offer, at: Point): string => insertAt(offer, free(at));

const free = (at: Point): Point => freePlace(at, CARD_SIZE, [...(canvasView()?.boxes().values() ?? [])]);

/**
 * Returns the boxes that a freely placed node must avoid: cards, and the outlines of loops, so that the node
 * lies fully inside or outside a loop.
 */
function takenPlaces(): Box[] {
  const boxes = canvasView()?.boxes() ?? new Map<string, Box>();
  const outlines = useAnalysis.getState().analysis.regions.flatMap((region) => {
    const within = regionIds(region).flatMap((id) => boxes.get(id) ?? []);
    const hull = hullSpan(within, region.repeats === "loop");
    return hull ? frameOf(hull, HULL_PAD.bottom) : [];
  });
  return [...boxes.values(), ...outlines];
}

/** Adds the node at the centre of the view, or in the nearest free place. Returns the node's id. */
export function insertAtCentre(offer: Offer): string {
  const centre = canvasView()?.centre() ?? { x: 0, y: 0 };
  const size = sizeOf(offer);
  const wanted = { x: centre.x - size.width / 2, y: centre.y - size.height / 2 };
  return insertAt(offer, freePlace(wanted, size, takenPlaces()));
}

/**
 * Returns the approximate size that the card of the node will have: a row for each socket, and some fields.
 */
function sizeOf({ kind: { inputs, outputs } }: Offer): Size {
  const rows = Math.max(inputs.length, outputs.length);
  return { width: CARD_SIZE.width, height: Math.max(CARD_SIZE.height, 120 + 33 * rows) };
}

/**
 * Returns the input and output through which the node can be inserted into a wire; null if it does not fit.
 */
export function fitIntoWire(offer: Offer, edgeId: string): { input: string; output: string } | null {
  const wire = useScene.getState().wires.find((w) => w.edge.id === edgeId);
  if (!wire) return null;
  const source = handlesNow(wire.edge.source).outputs.find((h) => h.name === wire.sourceHandle);
  const target = handlesNow(wire.edge.target).inputs.find((h) => h.name === wire.targetHandle);
  if (!source || !target) return null;
  const input = primary(offer.kind.inputs, (h) => typesFit(source, h));
  const output = primary(offer.kind.outputs, (h) => typesFit(h, target));
  return input && output ? { input: input.name, output: output.name } : null;
}

/**
 * If the types fit, inserts the node into the wire and moves the following nodes to make room. Otherwise adds
 * the node at `at` without a wire. Returns the node's id.
 */
export function insertIntoWire(offer: Offer, edgeId: string, at: Point): string {
  const fit = fitIntoWire(offer, edgeId);
  const { document } = useDocument.getState();
  const edge = document.edges.find((e) => e.id === edgeId);
  if (!fit || !edge) return insertAt(offer, at);
  const { place, moved } = room(edge, at);
  const node = newNode(document, offer, place);
  const [first, second] = splitEdge(document, edge, node, fit.input, fit.output);
  apply(`Insert ${offer.title}`, node, moveNodes(moved), updateEdge(first), connect(second));
  return node.id;
}

/** The size that an inserted card is assumed to have once it is measured, in pixels. */
const INSERTED = { width: CARD_SIZE.width, height: 150 };

/**
 * Returns the position of a card inserted into a wire, and the new positions of the nodes that make room for
 * it.
 */
function room(edge: FlowEdge, at: Point): { place: Point; moved: ReadonlyMap<string, Point> } {
  const moved = new Map<string, Point>();
  const boxes = canvasView()?.boxes();
  const [before, after] = [boxes?.get(edge.source), boxes?.get(edge.target)];
  if (!boxes || !before || !after) return { place: free(at), moved };
  // A feedback wire is drawn back to an earlier node, so there is no room to make between its ends. The new
  // node is placed to the right of the wire's source.
  const feeds = useScene.getState().wires.some((wire) => wire.edge.id === edge.id && wire.loop !== null);
  if (feeds) return { place: free({ x: before.right + INSERT_MARGIN, y: before.top }), moved };
  const { at: wanted, shift } = roomBetween(at, CARD_SIZE, { before, after });
  if (shift > 0) {
    const onward = useScene.getState().allWires.filter((wire) => wire.loop === null);
    const ids = reachableNodes(
      onward.map((wire) => wire.edge),
      edge.target,
      "from",
    );
    for (const node of useDocument.getState().document.nodes) {
      // Nodes further left are not in the way, even if the value of the wire reaches them.
      const isBehind = node.id === edge.target || (ids.has(node.id) && node.position.x >= after.left);
      if (isBehind) moved.set(node.id, { x: node.position.x + shift, y: node.position.y });
    }
  }
  // The node must not cover cards above or below the wire. If the wire runs backwards or down, the cards at
  // its ends must not be covered either.
  const aside = [...boxes].map(([id, box]): Box => {
    const by = moved.has(id) ? shift : 0;
    return { ...box, left: box.left + by, right: box.right + by };
  });
  return { place: freePlace(wanted, INSERTED, aside), moved };
}

/** Returns the socket of the offered node at which a wire from `from` would end; undefined if none fits. */
export function fittingSocket(offer: Offer, from: WireEnd): HandleInfo | undefined {
  return from.output
    ? primary(offer.kind.inputs, (h) => typesFit(from.handle, h))
    : primary(offer.kind.outputs, (h) => typesFit(h, from.handle));
}

/**
 * Adds the node where the wire was dropped, and connects it. If none of its sockets fits, adds it without a
 * wire. Returns the node's id.
 */
export function insertAtWireEnd(offer: Offer, from: WireEnd, drop: Point): string {
  const { document } = useDocument.getState();
  const node = newNode(document, offer, free(placeAtWireEnd(drop, from.output, CARD_SIZE)));
  const socket = fittingSocket(offer, from);
  if (!socket) return insertAt(offer, drop);
  const edge = newEdge(
    document,
    from.output
      ? { source: from.node, sourceHandle: from.handle.name, target: node.id, targetHandle: socket.name }
      : { source: node.id, sourceHandle: socket.name, target: from.node, targetHandle: from.handle.name },
  );
  apply(`Add ${offer.title}`, node, connect(edge));
  return node.id;
}
