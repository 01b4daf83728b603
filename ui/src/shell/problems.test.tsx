// The list of problems and the keyboard: whoever mends one goes on at the next.
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
import { type CanvasView, mountCanvasView } from "../session/canvas-view";
import { ProblemList } from "./Problems";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

const problem = (node: string): Problem => ({
  code: "missing_input",
  severity: "error",
  node,
  place: null,
  message: `${node} has no input.`,
  fix: { title: `Mend ${node}`, edits: [] },
});
const all = ["plan", "search", "enough"].map(problem);

let root: Root;
const focus = vi.fn();
let unmount: () => void;

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  useDocument.getState().open({ document: agenticSearch, path: null, version: null });
  unmount = mountCanvasView({ focus, boxes: () => new Map() } as unknown as CanvasView);
  const host = document.createElement("div");
  document.body.append(host);
  root = createRoot(host);
  focus.mockClear();
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

test("a focus that is elsewhere is left there", async () => {
  await problemsAre(all);
  await act(async () => root.render(<ProblemList />));
  await act(async () => button("Mend search")?.focus());
  await act(async () => button("Mend search")?.blur());
  await problemsAre([]);
  expect(focus).not.toHaveBeenCalled();
});
