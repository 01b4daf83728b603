// The user reaches a waiting step with one click, whatever is selected.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../components/testing";
import { useDocument } from "../document/document";
import { RunInspector } from "../inspector/run/RunInspector";
import type { FlowDoc } from "../ipc/generated/bindings";
import { foldAll } from "../runs/fold/reduce";
import { asksAt, events, runStarted, started } from "../runs/fold/samples";
import { useRuns } from "../runs/session/store";
import { useSession } from "../session/session";
import { testIds } from "../testids";
import { useApprovalSheet } from "../trust/approval-sheet";
import { WaitingButton } from "./RunBox";

const page = pageForEach();
const ids = ["ask", "check", "work"];
const document: FlowDoc = {
  name: "Two questions",
  nodes: ids.map((id) => ({ id, type: "approval", position: { x: 0, y: 0 }, data: {} })),
  edges: [],
};
const show = (...bodies: Parameters<typeof events>[1]) =>
  act(async () => {
    const state = foldAll("r1", events("r1", [runStarted(), ...ids.map((id) => started(id)), ...bodies]));
    useRuns.setState({ live: { state, document, flowPath: null, live: true }, past: null });
  });
const button = () => page.host.querySelector<HTMLElement>(`[data-testid="${testIds.waitingButton}"]`);
const selected = () => [...useSession.getState().selection.nodes];

beforeEach(async () => {
  useDocument.getState().open({ document, path: null, version: null });
  useSession.getState().setLayout("edit");
  useSession.getState().select(["work"]);
  useRuns.setState({ live: null, past: null });
});

test("it is there while something waits, with the number, and leads from one to the next", async () => {
  await act(async () => page.root.render(<WaitingButton />));
  await show();
  expect(button()).toBeNull();
  await show(asksAt("ask"), asksAt("check"));
  expect(button()?.textContent).toBe("Waiting (2)");
  await act(async () => button()?.click());
  await vi.waitFor(() => expect(selected()).toEqual(["ask"]));
  expect(useSession.getState()).toMatchObject({ layout: "run", view: "editor", sideOpen: true });
  await act(async () => button()?.click());
  await vi.waitFor(() => expect(selected()).toEqual(["check"]));
  await act(async () => button()?.click());
  await vi.waitFor(() => expect(selected()).toEqual(["ask"]));
});

test("the panel says so beside another node, and not beside the node itself", async () => {
  await show(asksAt("ask"));
  await act(async () => page.root.render(<RunInspector nodeId="work" />));
  expect(page.host.textContent).toContain("waits for your answer.");
  await act(async () => page.root.render(<RunInspector nodeId="ask" />));
  expect(page.host.textContent).not.toContain("waits for your answer.");
});

test("Review beside another node leads to the node, and opens its question", async () => {
  await show(asksAt("ask"));
  await act(async () => page.root.render(<RunInspector nodeId="work" />));
  const review = [...page.host.querySelectorAll("button")].find((one) => one.textContent === "Review");
  await act(async () => review?.click());
  await vi.waitFor(() => expect(useApprovalSheet.getState().open).toEqual({ runId: "r1", path: "ask" }));
  expect(selected()).toEqual(["ask"]);
});
