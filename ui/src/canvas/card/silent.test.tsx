// The card of a call that receives no data says so, and offers to repeat the call.
import { act } from "react";
import { expect, test, vi } from "vitest";
import { pageForEach } from "../../components/testing";
import { replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { foldAll } from "../../runs/fold/reduce";
import { type Body, events, runStarted, started, streamed } from "../../runs/fold/samples";
import { useRuns } from "../../runs/session/store";
import { idleNode } from "../../runs/view/node-run";
import { testIds } from "../../testids";
import { RunPreview } from "./RunPreview";

const page = pageForEach();

test("a silent call says for how long, and is made again by a press", async () => {
  const askAgain = vi.fn(async () => undefined);
  replaceBackend({ ...testBackend(), askAgain });
  const silent: Body = { type: "workflow.node.silent", path: "ask", for_ms: 15_000, limit_ms: 120_000 };
  const state = foldAll("r", events("r", [runStarted(), started("ask"), streamed("ask", "Half"), silent]));
  const document = { nodes: [], edges: [] };
  useRuns.setState({ live: { state, document, flowPath: null, live: true } });
  const silence = { since: Date.now() - 30_000, limitMs: 120_000 };
  const run = { ...idleNode, state: "running" as const, preview: "Half", streaming: true, silence };
  await act(async () => page.root.render(<RunPreview id="ask" run={run} selected={false} />));
  const box = page.host.querySelector(`[data-testid="${testIds.silent("ask")}"]`);
  expect(box?.textContent).toContain("No data for 30 s, times out after 2 min");
  await act(async () =>
    page.host.querySelector<HTMLElement>(`[data-testid="${testIds.askAgain("ask")}"]`)?.click(),
  );
  expect(askAgain).toHaveBeenCalledWith("r", "ask");
});
