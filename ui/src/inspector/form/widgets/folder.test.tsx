// A folder is typed or chosen in a dialog. The path of a chosen folder is relative if the folder is inside
// the one to which paths are relative.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../../../components/testing";
import { useAnalysis } from "../../../document/analysis";
import { useDocument } from "../../../document/document";
import { useKinds } from "../../../document/kinds";
import { useTools } from "../../../document/tools";
import { replaceBackend } from "../../../ipc/client";
import type { FlowDoc, FlowNode, Region } from "../../../ipc/generated/bindings";
import { testBackend } from "../../../ipc/testing";
import { useSession } from "../../../session/session";
import { NodeSettings } from "../../NodeSettings";

const page = pageForEach();
let picked: string | null = null;

beforeEach(async () => {
  replaceBackend({ ...testBackend(), pickFolder: async () => picked });
  await useKinds.getState().load();
  useTools.setState({ tools: await testBackend().tools() });
  useAnalysis.setState((s) => ({
    analysis: { ...s.analysis, regions: [] },
    whole: { ...s.whole, regions: [] },
  }));
});

const node = (id: string, type: string, data: FlowNode["data"]) => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data,
});
const loop = (source: string) => node("loop", "loop", { workspace: { source } });
const check = (cwd?: string) =>
  node("check", "check", { program: "npm", ...(cwd === undefined ? {} : { cwd }) });
const around: Region = {
  start: "loop",
  end: "exit",
  repeats: "loop",
  body: ["check", "inner"],
  ...{ core: [], tail: [], leaves: [], feedbackEdges: [], maxIterations: 3, depth: 0 },
};

async function open(
  nodes: FlowNode[],
  { path = "/flows/a.flow.json" as string | null, shown = "check" } = {},
) {
  const document: FlowDoc = { nodes, edges: [] };
  useDocument.getState().open({ document, path, version: null });
  const regions = nodes.some(({ id }) => id === "loop") ? [around] : [];
  useAnalysis.setState((s) => ({ analysis: { ...s.analysis, regions }, whole: { ...s.whole, regions } }));
  await act(async () => page.root.render(<NodeSettings key={shown} nodeId={shown} />));
}

async function choose(folder: string | null, label = "Choose working folder") {
  picked = folder;
  const button = page.host.querySelector<HTMLElement>(`[aria-label="${label}"]`);
  if (!button) throw new Error(`no ${label}`);
  await act(async () => button.click());
}

const dataOf = (id: string) => useDocument.getState().document.nodes.find((one) => one.id === id)?.data;
const cwd = () => dataOf("check")?.cwd;
const OUTSIDE = "This folder is not in the loop’s private copy.";

test("a chosen folder is relative to the folder of the flow, or absolute", async () => {
  await open([check()]);
  await choose("/flows/shop");
  expect(cwd()).toBe("shop");
  await choose("/flows");
  expect(cwd()).toBe(".");
  await choose("/srv");
  expect(cwd()).toBe("/srv");
  await choose(null);
  expect(cwd()).toBe("/srv");
  expect(page.host.textContent).not.toContain(OUTSIDE);
  await act(async () => void useDocument.getState().undo());
  expect(cwd()).not.toBe("/srv");
});

test("of a flow without a file it is absolute", async () => {
  await open([check()], { path: null });
  await choose("/flows/shop");
  expect(cwd()).toBe("/flows/shop");
});

test.each([
  ["/home/me/project", "/home/me/project/packages/a", "packages/a", false],
  ["/home/me/project", "/home/me/project", ".", false],
  ["../project", "/project/packages/a", "packages/a", false],
  ["/home/me/project", "/flows/shop", "/flows/shop", true],
])("in a workspace of %s, %s becomes %s", async (source, folder, stored, isOutside) => {
  await open([loop(source), check()]);
  await choose(folder);
  expect(cwd()).toBe(stored);
  expect(page.host.textContent?.includes(OUTSIDE)).toBe(isOutside);
});

test("in a subflow of a loop it is relative to the loop's source", async () => {
  const inner = node("inner", "subflow", { flow: { nodes: [check()], edges: [] } });
  await open([loop("/home/me/project"), inner], { shown: "inner" });
  await act(async () => void useDocument.getState().enter("inner"));
  useAnalysis.setState((s) => ({ analysis: { ...s.analysis, regions: [] } }));
  await act(async () => page.root.render(<NodeSettings key="check" nodeId="check" />));
  await choose("/home/me/project/a");
  expect(cwd()).toBe("a");
});

test("the folder that a loop copies is relative to the folder of the flow", async () => {
  await open([loop("/home/me/project"), check()], { shown: "loop" });
  await choose("/flows/shop", "Choose folder");
  expect(dataOf("loop")?.workspace).toEqual({ source: "shop" });
  await choose("/home/me/project/a", "Choose folder");
  expect(dataOf("loop")?.workspace).toEqual({ source: "/home/me/project/a" });
  expect(page.host.textContent).not.toContain(OUTSIDE);
});

test("the arguments of tools have the same field", async () => {
  await open([node("check", "tool", { tool: "command", args: { program: "npm" } })]);
  await choose("/flows/shop");
  expect(dataOf("check")?.args).toEqual({ program: "npm", cwd: "shop" });
});

test("a dialog that fails says so", async () => {
  replaceBackend({ ...testBackend(), pickFolder: () => Promise.reject(new Error("no dialog")) });
  await open([check(".")]);
  await choose(null);
  expect(useSession.getState().toasts.at(-1)).toMatchObject({
    tone: "error",
    title: "The folder dialog could not be opened",
  });
  expect(cwd()).toBe(".");
});
