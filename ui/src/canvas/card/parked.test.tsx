// The card of a step that waits for a quota says which one and until when, and offers to try now.
import { act } from "react";
import { expect, test, vi } from "vitest";
import { pageForEach } from "../../components/testing";
import { replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { foldAll } from "../../runs/fold/reduce";
import { completed, events, parked, runStarted, started, unparked } from "../../runs/fold/samples";
import { useRuns } from "../../runs/session/store";
import { nodeRun } from "../../runs/view/node-run";
import { quotaWords } from "../../runs/words/format";
import { testIds } from "../../testids";
import { RunPreview } from "./RunPreview";

const page = pageForEach();

test("a parked step says until when it waits, and tries now at a press", async () => {
  const askAgain = vi.fn(async () => undefined);
  replaceBackend({ ...testBackend(), askAgain });
  const until = new Date(new Date().setHours(23, 58, 0, 0)).getTime();
  const state = foldAll("r", events("r", [runStarted(), started("ask"), parked("ask", "Anthropic", until)]));
  const document = { nodes: [], edges: [] };
  useRuns.setState({ live: { state, document, flowPath: null, live: true } });
  const run = nodeRun(state, {}, "ask");
  await act(async () => page.root.render(<RunPreview id="ask" run={run} selected={false} />));
  const box = page.host.querySelector(`[data-testid="${testIds.parked("ask")}"]`);
  expect(box?.textContent).toBe("Quota until 23:58Try now");
  await act(async () =>
    page.host.querySelector<HTMLElement>(`[data-testid="${testIds.askAgain("ask")}"]`)?.click(),
  );
  expect(askAgain).toHaveBeenCalledWith("r", "ask");
});

test("the wait is over when the step makes its call again, or ends", () => {
  const wait = [runStarted(), started("ask"), parked("ask", "OpenAI", Date.now() + 60_000)];
  const fold = (...more: Parameters<typeof events>[1]) =>
    foldAll("r", events("r", [...wait, ...more])).root.steps.ask;
  expect(fold()?.parked?.name).toBe("OpenAI");
  expect(fold(unparked("ask"))?.parked).toBeNull();
  const done = fold(unparked("ask"), completed("ask"));
  expect([done?.parked, done?.status]).toEqual([null, "completed"]);
});

test("a wait until another day has its date", () => {
  const now = new Date(2026, 11, 2, 22, 0).getTime();
  const at = (day: number) => new Date(2026, 11, day, 6, 5).getTime();
  expect(quotaWords({ name: "Codex", until: at(3) }, now)).toBe("Waits for Codex's quota until 3 Dec, 06:05");
  expect(quotaWords({ name: "Codex", until: at(2) }, now)).toBe("Waits for Codex's quota until 06:05");
});
