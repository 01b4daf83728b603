// Delete removes a node from its chain, joins the rest, and reports it.
import { afterEach, beforeEach, expect, test } from "vitest";
import { useAnalysis } from "../document/analysis";
import { useDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import { replaceBackend } from "../ipc/client";
import type { FlowDoc } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { testAnalysis } from "../ipc/testing/analysis";
import { followForDrawing } from "../scene/scene";
import { useSession } from "../session/session";
import { commandById } from ".";

const node = (id: string, type: string) => ({ id, type, position: { x: 0, y: 0 }, data: {} });
const wire = (from: string, to: string) => {
  const [source = "", sourceHandle] = from.split(".");
  const [target = "", targetHandle] = to.split(".");
  return {
    id: `${from}-${to}`,
    source,
    sourceHandle: sourceHandle ?? null,
    target,
    targetHandle: targetHandle ?? null,
  };
};
const flow: FlowDoc = {
  name: "Chain",
  nodes: [
    node("text", "input"),
    node("draft", "llm"),
    node("polish", "llm"),
    node("route", "router"),
    node("out", "output"),
    node("other", "output"),
  ],
  edges: [
    wire("text.value", "draft.prompt"),
    wire("draft.response", "polish.prompt"),
    wire("polish.response", "route.input"),
    wire("route.done", "out.value"),
    wire("polish.response", "other.value"),
  ],
};
const ends = () => useDocument.getState().document.edges.map(({ source, target }) => `${source} ${target}`);
const lastToastTitle = () => useSession.getState().toasts.at(-1)?.title;
let stop: () => void;

async function deleted(...ids: string[]) {
  useSession.getState().select(ids);
  await commandById("edit.delete").run();
}

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  useSession.setState({ view: "editor", toasts: [] });
  useDocument.getState().open({ document: flow, path: null, version: null });
  useAnalysis.setState({ analysis: testAnalysis(flow) });
  stop = followForDrawing();
});
afterEach(() => stop());

test("a node of a chain is bridged, in one step of the history", async () => {
  await deleted("draft");
  expect(ends()).toContain("text polish");
  expect(lastToastTitle()).toBe("Deleted “draft” and 2 wires, and joined “text” to “polish”.");
  expect(useDocument.getState().history.done).toHaveLength(1);
  useDocument.getState().undo();
  expect(useDocument.getState().document).toEqual(flow);
});

test("several nodes in a row are bridged as one, to all that lies behind", async () => {
  await deleted("draft", "polish");
  expect(ends().sort()).toEqual(["route out", "text other", "text route"]);
  expect(lastToastTitle()).toBe("Deleted 2 nodes and 4 wires, and joined “text” to 2 nodes.");
});

test("a node with branches, or one at the end, is not", async () => {
  await deleted("route");
  expect(ends()).not.toContain("polish out");
  expect(lastToastTitle()).toBe("Deleted “route” and 2 wires.");
  await deleted("text");
  expect(lastToastTitle()).toBe("Deleted “text” and 1 wire.");
});

test("wires that are chosen too are not put back", async () => {
  const { id } = flow.edges[0] as { id: string };
  useSession.getState().select(["draft"], [id]);
  await commandById("edit.delete").run();
  expect(ends()).not.toContain("text polish");
});
