// The sizes reported to xyflow for unseen cards, and when they are no longer reported.
import { beforeEach, expect, test } from "vitest";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import { replaceBackend } from "../../ipc/client";
import type { FlowDoc, FlowNode } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { socketKey } from "../../scene/wires";
import { type CanvasNode, isUnseen, reconcileNodes, seen, toBeMeasured } from "../nodes";
import { tellOf } from "./unseen";

const none: ReadonlySet<string> = new Set();
const node = (id: string, type: string, at: number): FlowNode => ({
  id,
  type,
  position: { x: at * 240, y: 0 },
  data: {},
});

/** Returns a flow with a model, a Loop, a note, an unknown kind, and Transforms. */
function large(count: number): FlowDoc {
  const first = [node("m", "llm", 0), node("l", "loop", 1), node("n", "note", 2), node("u", "hologram", 3)];
  const rest = Array.from({ length: count - first.length }, (_, i) => node(`t${i}`, "transform", i + 4));
  return { nodes: [...first, ...rest], edges: [] };
}

const open = (document: FlowDoc) => useDocument.getState().open({ document, path: null, version: null });
const told = (id: string, connected = none) => {
  const { nodes } = useDocument.getState().document;
  return tellOf(nodes.length, connected)?.(nodes.find((one) => one.id === id) as FlowNode) ?? null;
};
const inputs = (id: string, connected?: ReadonlySet<string>) =>
  told(id, connected)
    ?.handles.filter((handle) => handle.type === "target")
    .map((handle) => handle.id);
const cardsOf = (before: CanvasNode[], connected = none) => {
  const { nodes } = useDocument.getState().document;
  return reconcileNodes(before, nodes, none, undefined, tellOf(nodes.length, connected));
};
const unseenOf = (cards: readonly CanvasNode[]) => cards.filter(isUnseen).map((card) => card.id);

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  open(large(200));
});

test("a flow whose cards are all mounted is told nothing, nor one whose nodes have no places", () => {
  open(large(20));
  expect(tellOf(20, none)).toBeNull();
  open({ nodes: large(200).nodes.map(({ position: _, ...rest }) => rest as FlowNode), edges: [] });
  expect(tellOf(200, none)).toBeNull();
});

test("a card's main sockets are told, and what is wired has a row of its own", () => {
  expect(inputs("m")).toEqual(["prompt"]);
  const system = new Set([socketKey("m", false, "system")]);
  expect(inputs("m", system)).toEqual(["prompt", "system"]);
  const [first, second] = told("m", system)?.handles ?? [];
  expect((second?.y ?? 0) - (first?.y ?? 0)).toBe(22);
  expect((told("m", system)?.measured.height ?? 0) - (told("m")?.measured.height ?? 0)).toBe(22);
});

test("nothing is told of a note or of a kind that is not known", () => {
  expect(told("n")).toBeNull();
  expect(told("u")).toBeNull();
});

test("no told height can be measured, so that every measurement counts as a change", () => {
  for (const id of ["m", "l", "t1"]) expect(Number.isInteger(told(id)?.measured.height)).toBe(false);
});

test("a card is unseen until it is measured", () => {
  const cards = cardsOf([]);
  expect(unseenOf(cards)).toHaveLength(198);
  const after = cards.map((card) => (card.id === "m" ? seen(card) : card));
  expect(unseenOf(after)).not.toContain("m");
  expect(cardsOf(after, new Set([socketKey("m", false, "system")]))[0]).toBe(after[0]);
});

test("an unseen card takes a new wire's socket, and stays the same object without", () => {
  const cards = cardsOf([]);
  expect(cardsOf(cards)).toBe(cards);
  const wired = cardsOf(cards, new Set([socketKey("m", false, "system")]))[0];
  expect(wired?.handles?.map((handle) => handle.id)).toContain("system");
});

test("to be measured, an unseen card gives up what it was told, and a seen one keeps its size", () => {
  const [model, ...others] = cardsOf([]);
  const measured = { ...seen(model as CanvasNode), measured: { width: 196, height: 140 } };
  const after = [measured, ...others].map(toBeMeasured);
  expect(after[0]).toBe(measured);
  expect(after[1]?.measured).toBeUndefined();
  expect(unseenOf(after)).toEqual([]);
});

test("an unseen card that is folded, or left in a small flow, is measured", () => {
  const cards = cardsOf([]);
  const { nodes } = useDocument.getState().document;
  const folded = reconcileNodes(cards, nodes, none, new Set(["l"]), tellOf(nodes.length, none));
  expect(folded.find((card) => card.id === "l")).toMatchObject({ type: "fold" });
  expect(cards.length - unseenOf(folded).length).toBe(cards.length - unseenOf(cards).length + 1);
  expect(folded.find((card) => card.id === "l")?.measured).toBeUndefined();
  const few = reconcileNodes(cards, nodes.slice(0, 20), none, undefined, tellOf(20, none));
  expect(unseenOf(few)).toEqual([]);
  expect(few.every((card) => card.measured === undefined)).toBe(true);
});
