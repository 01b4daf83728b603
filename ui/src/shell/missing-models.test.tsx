// The run box shows that no model is available, and offers actions.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../components/testing";
import { useAnalysis } from "../document/analysis";
import { useDocument } from "../document/document";
import { replaceBackend } from "../ipc/client";
import type { Problem } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { testAnalysis } from "../ipc/testing/analysis";
import { problemOf } from "../ipc/testing/values";
import { useRuns } from "../runs/session/store";
import { useSession } from "../session/session";
import { RunBox } from "./RunBox";

const page = pageForEach();
const node = (id: string, label: string) => ({
  id,
  type: "llm",
  position: { x: 0, y: 0 },
  data: { label },
});
const flow = { name: "A", nodes: [node("draft", "Draft"), node("look", "Critique")], edges: [] };
const missing = (id: string, code = "model_missing"): Problem => problemOf(code, { node: id });

beforeEach(() => {
  replaceBackend(testBackend());
  useRuns.setState({ live: null, past: null });
  useSession.setState({ view: "editor", layout: "edit" });
  useDocument.getState().open({ document: flow, path: null, version: null });
});

async function show(problems: Problem[]): Promise<void> {
  const analysis = { ...testAnalysis(flow), runnable: true, problems };
  await act(async () => useAnalysis.setState({ analysis, whole: analysis }));
  await act(async () => page.root.render(<RunBox />));
}
const button = (text: string) =>
  [...document.querySelectorAll<HTMLElement>("button, [role=menuitem]")].find((one) =>
    one.textContent?.includes(text),
  );

test("it offers the settings, and a built-in model for each of the nodes", async () => {
  await show([missing("draft"), missing("look")]);
  const opener = button("No model can answer");
  expect(opener?.dataset.tip).toBe("“Draft” and “Critique” have no model that can answer here.");
  await act(async () => opener?.click());
  await act(() => new Promise((done) => setTimeout(done, 20)));
  expect(button("Open Settings")).toBeDefined();
  await act(async () => button("Use built-in models")?.click());
  const { nodes } = useDocument.getState().document;
  expect(nodes.map(({ data }) => data?.builtin)).toEqual(["reviser", "critic"]);
});

test("what is only uncertain, or inside a subflow, is not mended from here", async () => {
  await show([missing("draft", "model_uncertain")]);
  expect(button("No model can answer")).toBeUndefined();
  await show([missing("draft/inner")]);
  await act(async () => button("No model can answer")?.click());
  await act(() => new Promise((done) => setTimeout(done, 20)));
  expect(button("Open Settings")).toBeDefined();
  expect(button("Use built-in")).toBeUndefined();
});
