// A run that must wait for the script runtime says so.
import { beforeEach, expect, it } from "vitest";
import { useAnalysis } from "../document/analysis";
import { useDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import { replaceBackend } from "../ipc/client";
import { testBackend } from "../ipc/testing";
import { testAnalysis } from "../ipc/testing/analysis";
import { agenticSearch } from "../ipc/testing/flows";
import { problemOf } from "../ipc/testing/values";
import { useRuns } from "../runs/session/store";
import { useSession } from "../session/session";
import { commandById } from "./index";

const flow = {
  ...agenticSearch,
  nodes: agenticSearch.nodes.map((node) =>
    node.type === "input" ? { ...node, data: { ...node.data, default: "a question" } } : node,
  ),
};
const unread = problemOf("script_worker", {
  code: "script_building",
  severity: "warning",
  node: null,
  place: null,
});

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  useDocument.getState().open({ document: flow, path: null, version: null });
  useRuns.setState({ live: null, past: null });
  useSession.getState().show("editor");
  useSession.setState({ toasts: [] });
});

for (const [name, problems] of [
  ["are still being built", [unread]],
  ["are there", []],
] as const)
  it(`starts, and tells of a wait only where scripts ${name}`, async () => {
    const analysis = { ...testAnalysis(flow), runnable: true, problems: [...problems] };
    useAnalysis.setState({ analysis, whole: analysis, stale: false });
    await commandById("run.start").run();
    expect(useRuns.getState().live).not.toBeNull();
    const titles = useSession.getState().toasts.map(({ title }) => title);
    expect(titles.includes("The run has not started yet")).toBe(problems.length > 0);
  });
