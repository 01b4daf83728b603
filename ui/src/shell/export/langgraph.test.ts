// The export as a LangGraph program: obstacles are reported before a file is chosen, a cancelled dialog
// writes nothing, and the report is shown.
import { beforeEach, expect, it, vi } from "vitest";
import { useDocument } from "../../document/document";
import { ApiFailure, replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { useSession } from "../../session/session";
import { useTabs } from "../../tabs/tabs";
import { exportLanggraph, programName, useExports } from "./langgraph";

const double = testBackend();
const node = { id: "draft", type: "llm", position: { x: 0, y: 0 }, data: {} };

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
  expect(report()).toMatchObject({ file: "/programs/self_refine.py", entries: [{ place: "draft" }] });
});

it("writes nothing where the dialog is cancelled", async () => {
  const asked = backend({ pickProgram: async () => null });
  await exportLanggraph();
  expect(asked.exportLanggraph).toHaveBeenCalledOnce();
  expect(report()).toBeUndefined();
});

it("says what is wrong with the flow before it asks for a place", async () => {
  const asked = backend({
    exportLanggraph: async () => {
      throw new ApiFailure({ code: "invalid_flow", message: "The flow has errors." });
    },
  });
  await exportLanggraph();
  expect(asked.pickProgram).not.toHaveBeenCalled();
  expect(useSession.getState().toasts.at(-1)).toMatchObject({
    tone: "error",
    detail: "The flow has errors.",
  });
});

it("makes names that Python takes", () => {
  expect(["Self-Refine.flow.json", "a b.loop", "数学.loop"].map(programName)).toEqual([
    "Self_Refine.py",
    "a_b.py",
    "flow.py",
  ]);
});
