// The list of problems, used by keyboard: after a fix, the next problem is focused.
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useAnalysis } from "../document/analysis";
import { useDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import { replaceBackend } from "../ipc/client";
import type { Problem } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { testAnalysis } from "../ipc/testing/analysis";
import { agenticSearch } from "../ipc/testing/flows";
import { problemOf } from "../ipc/testing/values";
import { type CanvasView, mountCanvasView } from "../session/canvas-view";
import { ProblemList } from "./Problems";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

const problem = (node: string): Problem =>
  problemOf("nothing_wired", {
    node,
    place: null,
    message: `${node} has no input.`,
    fix: { title: `Mend ${node}`, edits: [] },
  });
const all = ["plan", "search", "enough"].map(problem);

let root: Root;
const focus = vi.fn();
const keepInView = vi.fn();
let unmount: () => void;

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  useDocument.getState().open({ document: agenticSearch, path: null, version: null });
  unmount = mountCanvasView({ focus, keepInView, boxes: () => new Map() } as unknown as CanvasView);
  const host = document.createElement("div");
  document.body.append(host);
  root = createRoot(host);
  focus.mockClear();
  keepInView.mockClear();
});
afterEach(async () => {
  await act(async () => root.unmount());
  unmount();
  document.body.innerHTML = "";
});

const problemsAre = (problems: Problem[]) =>
  act(async () => useAnalysis.setState({ analysis: { ...testAnalysis(agenticSearch), problems } }));
const button = (text: string) =>
  [...document.querySelectorAll("button")].find((b) => b.textContent?.includes(text));

test("after a fix the focus is on the problem that stands there now, in the end on the node", async () => {
  await problemsAre(all);
  await act(async () => root.render(<ProblemList />));
  await act(async () => button("Mend search")?.focus());
  await problemsAre(all.filter((p) => p.node !== "search"));
  expect(document.activeElement).toBe(button("enough has no input"));
  await problemsAre(all.slice(0, 1));
  expect(document.activeElement).toBe(button("plan has no input"));
  await problemsAre([]);
  expect(focus).toHaveBeenCalledExactlyOnceWith("plan");
});

test("a fix that is pointed at shows the node that it would add, also out of view", async () => {
  const exit = { id: "exit2", type: "exit", position: { x: 5000, y: 0 }, data: {} };
  const fix = { title: "Add Exit", edits: [{ op: "add_node" as const, node: exit }] };
  await problemsAre([{ ...problem("plan"), fix }, problem("search")]);
  await act(async () => root.render(<ProblemList />));
  const frames = () => act(() => new Promise((done) => setTimeout(done, 60)));
  await act(async () => button("Mend search")?.focus());
  await frames();
  expect(keepInView).not.toHaveBeenCalled();
  await act(async () => button("Add Exit")?.focus());
  await frames();
  expect(keepInView.mock.calls).toEqual([[["exit2"]]]);
});

test("what no model answers leads to the settings and to a built-in model", async () => {
  const missing = problemOf("model_missing", { node: "plan" });
  await problemsAre([missing]);
  await act(async () => root.render(<ProblemList />));
  expect(button("Open Settings")).toBeDefined();
  await act(async () => button("Use built-in reviser")?.click());
  const plan = useDocument.getState().document.nodes.find(({ id }) => id === "plan");
  expect(plan?.data).toMatchObject({ provider: "builtin", builtin: "reviser" });
});

test("a focus that is elsewhere is left there", async () => {
  await problemsAre(all);
  await act(async () => root.render(<ProblemList />));
  await act(async () => button("Mend search")?.focus());
  await act(async () => button("Mend search")?.blur());
  await problemsAre([]);
  expect(focus).not.toHaveBeenCalled();
});
