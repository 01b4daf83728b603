// The inspector shows no alarm for a run that the user stopped.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import messageStyles from "../../components/RunMessage.module.css";
import { pageForEach } from "../../components/testing";
import { useDocument } from "../../document/document";
import { replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { foldAll } from "../../runs/fold/reduce";
import { events, runFailed, runStarted } from "../../runs/fold/samples";
import { useRuns } from "../../runs/session/store";
import { useSession } from "../../session/session";
import { RunInspector } from "./RunInspector";

const page = pageForEach();
const flow = { name: "A", nodes: [], edges: [] };

beforeEach(() => {
  replaceBackend(testBackend());
  useDocument.getState().open({ document: flow, path: null, version: null });
  useSession.getState().setLayout("run");
});

async function said(status: "failed" | "cancelled"): Promise<HTMLElement | null> {
  const state = foldAll("r1", events("r1", [runStarted(), runFailed(status, status)]));
  useRuns.setState({ live: { state, document: flow, flowPath: null, live: true }, past: null });
  await act(async () => page.root.render(<RunInspector nodeId={null} />));
  return page.host.querySelector<HTMLElement>(`.${messageStyles.message}`);
}

test("without an alarm", async () => {
  const box = await said("cancelled");
  expect(box?.textContent).toContain("the run ended: cancelled");
  expect(box?.getAttribute("role")).toBe("status");
  expect(box?.classList).not.toContain(messageStyles.hasError);
});

test("one that failed is an alarm", async () => {
  const box = await said("failed");
  expect(box?.getAttribute("role")).toBe("alert");
  expect(box?.classList).toContain(messageStyles.hasError);
});
