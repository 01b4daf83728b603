// The export as a LangGraph program: obstacles are reported before a file is chosen, a cancelled dialog
// writes nothing, and the report is shown.
import { beforeEach, expect, it, vi } from "vitest";
import { useDocument } from "../../document/document";
import { type ApiFailure, replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { useSession } from "../../session/session";
import { useTabs } from "../../tabs/tabs";
import { exportLanggraph, programName, useExports } from "./langgraph";

const double = testBackend();
/** A node that the exported program cannot run unchanged, because a built-in model answers it. */
const node = {
  id: "draft",
  type: "llm",
  position: { x: 0, y: 0 },
  data: { prompt: "Write.", builtin: "reviser" },
};

function backend(change: Partial<typeof double> = {}) {
  const asked = { ...double, ...change };
  const spied = {
    ...asked,
    exportLanggraph: vi.fn(asked.exportLanggraph),
    pickProgram: vi.fn(asked.pickProgram),
  };
  replaceBackend(spied);
  return spied;
}

beforeEach(() => {
  useSession.setState({ toasts: [] });
  useExports.setState({ byTab: {} });
  useDocument
    .getState()
    .open({ document: { name: "Self-Refine", nodes: [node], edges: [] }, path: null, version: null });
});

const report = () => useExports.getState().byTab[useTabs.getState().active];

it("writes where the person says and shows what is otherwise", async () => {
  const asked = backend();
  await exportLanggraph();
  expect(asked.pickProgram).toHaveBeenCalledWith("self_refine.py");
  expect(asked.exportLanggraph.mock.calls.map((call) => call[2])).toEqual([null, "/programs/self_refine.py"]);
  expect(report()).toMatchObject({
    file: "/programs/self_refine.py",
    entries: [{ node: "draft", place: "draft.builtin" }],
  });
});

it("writes nothing where the dialog is cancelled", async () => {
  const asked = backend({ pickProgram: async () => null });
  await exportLanggraph();
  expect(asked.exportLanggraph).toHaveBeenCalledOnce();
  expect(report()).toBeUndefined();
});

it("says what is wrong with the flow before it asks for a place", async () => {
  const asked = backend();
  const wire = { id: "e", source: "draft", target: "nobody" };
  const wrong = { name: "Self-Refine", nodes: [node], edges: [wire] };
  useDocument.getState().open({ document: wrong, path: null, version: null });
  const refused = await double.exportLanggraph(wrong, null, null).catch((error: ApiFailure) => error);
  expect(refused).toMatchObject({ code: "invalid_flow" });
  await exportLanggraph();
  expect(asked.pickProgram).not.toHaveBeenCalled();
  expect(useSession.getState().toasts.at(-1)).toMatchObject({
    tone: "error",
    detail: (refused as ApiFailure).message,
  });
});

it("makes names that Python takes", () => {
  expect(["Self-Refine.flow.json", "a b.loop", "数学.loop"].map(programName)).toEqual([
    "Self_Refine.py",
    "a_b.py",
    "flow.py",
  ]);
});
