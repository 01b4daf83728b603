// Wires that carried nothing are pale next to a run, and never while the workflow is edited.
import { act } from "react";
import { expect, test } from "vitest";
import { pageForEach } from "../components/testing";
import { useDocument } from "../document/document";
import type { FlowDoc } from "../ipc/generated/bindings";
import { foldAll } from "../runs/fold/reduce";
import { completed, events, runFailed, runStarted, started } from "../runs/fold/samples";
import { useRuns } from "../runs/session/store";
import { useSession } from "../session/session";
import { useWireActivity } from "./activity";

const page = pageForEach();
const document: FlowDoc = {
  name: "Two",
  nodes: ["a", "b"].map((id) => ({ id, type: "llm", position: { x: 0, y: 0 }, data: {} })),
  edges: [{ id: "w", source: "a", target: "b" }],
};

function Wire() {
  return <i>{useWireActivity("a", "b")}</i>;
}
const shown = () => page.host.textContent;

test("after a run that was aborted the wires are pale beside it alone", async () => {
  useDocument.getState().open({ document, path: null, version: null });
  useSession.getState().setLayout("run");
  const bodies = [runStarted(), started("a"), completed("a"), runFailed("cancelled", "cancelled")];
  const state = foldAll("r1", events("r1", bodies));
  useRuns.setState({ live: { state, document, flowPath: null, live: true }, past: null });
  await act(async () => page.root.render(<Wire />));
  expect(shown()).toBe("rest");
  await act(async () => useSession.getState().setLayout("edit"));
  expect(shown()).toBe("");
});
