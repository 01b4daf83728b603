// A failure has a button for each remedy, and Retry starts a run immediately. A stopped run can be continued.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { RunPreview } from "../../canvas/card/RunPreview";
import { pageForEach } from "../../components/testing";
import { useDocument } from "../../document/document";
import { replaceBackend } from "../../ipc/client";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { costEstimate, forkPlace, runDetail, trustList } from "../../ipc/testing/values";
import { foldAll } from "../../runs/fold/reduce";
import { calls, events, failed, runFailed, runStarted, started } from "../../runs/fold/samples";
import { useProviders } from "../../runs/inputs/providers";
import { stoppedPath } from "../../runs/session/stopped";
import { useRuns } from "../../runs/session/store";
import { idleNode } from "../../runs/view/node-run";
import { useDialog } from "../../session/dialog";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import { RunInspector } from "./RunInspector";

const page = pageForEach();
const document_: FlowDoc = {
  name: "Fails",
  nodes: [{ id: "draft", type: "llm", position: { x: 0, y: 0 }, data: {} }],
  edges: [],
};
let forked: { runId: string; at: string }[] = [];

beforeEach(async () => {
  forked = [];
  const double = testBackend();
  replaceBackend({
    ...double,
    forkedFlow: async () => ({ document: document_, path: null }),
    grants: async () => trustList([], { missing: 0 }),
    forkRun: async ({ runId, at }) => {
      forked.push({ runId, at });
      return "r2";
    },
    runDetail: async () => runDetail({ document: document_ }),
  });
  useProviders.setState({ settings: { ...(await double.settings()), theme: "dark", askAboveUsd: null } });
  useDialog.setState({ open: null });
  useDocument.getState().open({ document: document_, path: null, version: null });
  useRuns.setState({ live: null, past: null, starting: false });
  useSession.getState().setLayout("run");
  useSession.setState({ view: "editor", toasts: [], sideOpen: true });
});

async function shows(code: string, nodeId: string | null, status: "failed" | "cancelled" = "failed") {
  const log = events("r1", [
    runStarted(),
    started("draft"),
    failed("draft", code, { message: "It failed." }),
    { ...runFailed(status, code), node_id: "draft" },
  ]);
  const state = foldAll("r1", log);
  await act(async () => {
    useRuns.setState({ live: { state, document: document_, flowPath: null, live: true }, past: null });
    page.root.render(<RunInspector nodeId={nodeId} />);
  });
  return [...page.host.querySelectorAll('[data-testid="failure-actions"] button')].map(
    (one) => one.textContent,
  );
}
const press = async (label: string) => {
  const button = [...page.host.querySelectorAll("button")].find((one) => one.textContent === label);
  await act(async () => button?.click());
};

test("each advice has its button, in the panel of the node and of the run", async () => {
  for (const nodeId of ["draft", null]) {
    expect(await shows("http_500", nodeId)).toEqual(["Retry"]);
    expect(await shows("http_401", nodeId)).toEqual(["Open Settings", "Retry"]);
    expect(await shows("http_404", nodeId)).toEqual(["Choose a model", "Retry"]);
    expect(await shows("context_overflow", nodeId)).toEqual(["Choose a model", "Retry"]);
    expect(await shows("not_translated", nodeId)).toEqual([]);
  }
});

test("choosing a model leads to its field", async () => {
  await shows("http_404", "draft");
  await press("Choose a model");
  expect(useSession.getState()).toMatchObject({ layout: "edit", focusField: "draft.model" });
  expect([...useSession.getState().selection.nodes]).toEqual(["draft"]);
});

test("a past run has no model to be chosen: its flow is not in hand", async () => {
  await shows("http_404", null);
  await act(async () => useRuns.setState((s) => ({ past: s.live, live: null })));
  const labels = [...page.host.querySelectorAll('[data-testid="failure-actions"] button')].map(
    (one) => one.textContent,
  );
  expect(labels).toEqual(["Retry"]);
});

test("Retry runs again with one press, in the panel and on the card", async () => {
  await shows("http_500", null);
  await press("Retry");
  await vi.waitFor(() => expect(forked).toEqual([{ runId: "r1", at: "draft" }]));
  expect(page.host.querySelector('[data-testid="fork"]')).toBeNull();
  await shows("http_500", null);
  await act(async () =>
    page.root.render(<RunPreview id="draft" run={{ ...idleNode, state: "failed" }} selected={false} />),
  );
  const card = page.host.querySelector<HTMLElement>(`[data-testid="${testIds.retry("draft")}"]`);
  await act(async () => card?.click());
  await vi.waitFor(() => expect(forked).toHaveLength(2));
});

test("what it may cost is asked about above the amount of the settings", async () => {
  replaceBackend({
    ...(await import("../../ipc/client")).api(),
    estimate: async () => costEstimate({ maxUsd: 3 }),
    forkPlace: async () => forkPlace({ kept: calls(1, 10, 1) }),
  });
  useProviders.setState((s) => ({ settings: s.settings && { ...s.settings, askAboveUsd: 1 } }));
  await shows("http_500", null);
  await press("Retry");
  await vi.waitFor(() => expect(useDialog.getState().open?.question.title).toContain("$2"));
  await act(async () => useDialog.getState().open?.answer(false));
  expect(forked).toEqual([]);
});

test("a run that was stopped continues where it was", async () => {
  expect(await shows("cancelled", null, "cancelled")).toEqual([]);
  await press("Continue");
  await vi.waitFor(() => expect(forked).toEqual([{ runId: "r1", at: "draft" }]));
});

test("one that ended otherwise does not", async () => {
  await shows("http_500", null);
  expect(page.host.querySelector('[data-testid="continue-stopped"]')).toBeNull();
  const state = useRuns.getState().live?.state;
  expect(state && stoppedPath(state)).toBeNull();
});
