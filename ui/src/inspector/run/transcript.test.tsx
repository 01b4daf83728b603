// The transcript of an agent in the panel: in place of the output while the agent works, and afterwards in a tab.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../../components/testing";
import { replaceBackend } from "../../ipc/client";
import type { Activity, FlowDoc, Transcript, TranscriptTurn } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { foldAll } from "../../runs/fold/reduce";
import { activity, type Body, completed, events, runStarted, started } from "../../runs/fold/samples";
import { useRuns } from "../../runs/session/store";
import { useInspectorView } from "../../session/inspector-view";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import { RunInspector } from "./RunInspector";

const page = pageForEach();
const document = {
  nodes: [{ id: "fix", type: "agent", position: { x: 0, y: 0 }, data: {} }],
  edges: [],
} as unknown as FlowDoc;

const entry = (kind: Activity["kind"], text: string, more: Partial<Activity> = {}): Activity => ({
  kind,
  at_ms: 67_000,
  text,
  ...more,
});

const turn = (entries: Activity[], more: Partial<TranscriptTurn> = {}): TranscriptTurn => ({
  entries,
  leftOut: 0,
  leftOutAfter: null,
  all: entries.length,
  line: "running npm test",
  inputTokens: 1200,
  outputTokens: 34,
  ...more,
});

beforeEach(() => {
  vi.useFakeTimers();
  useInspectorView.setState({ tab: "output" });
  useSession.getState().setLayout("run");
});

async function show(bodies: readonly Body[], transcript: Transcript) {
  const asked = vi.fn(async () => transcript);
  replaceBackend({ ...testBackend(), stepTranscript: asked });
  const state = foldAll("r1", events("r1", [runStarted(), started("fix"), ...bodies]));
  useRuns.setState({ live: { state, document, flowPath: null, live: true }, past: null });
  await act(async () => page.root.render(<RunInspector nodeId="fix" />));
  await act(async () => vi.advanceTimersByTimeAsync(400));
  return asked;
}

const box = () => page.host.querySelector<HTMLElement>(`[data-testid="${testIds.transcript}"]`);
const tabs = () => [...page.host.querySelectorAll('[role="tab"]')].map((tab) => tab.textContent);

test("an agent that works shows its transcript in place of the output", async () => {
  const entries = [
    entry("said", "I look."),
    entry("ran", "npm test", { output: "1 failed", failed: true, cut: 7000 }),
    entry("printed", "on standard error", { output: "a warning" }),
  ];
  const asked = await show([activity("fix", "running npm test", 3)], { turns: [turn(entries)] });
  expect(asked).toHaveBeenCalledWith("r1", "fix");
  const text = box()?.textContent ?? "";
  expect(text).toContain("1:07saidI look.");
  expect(text).toContain("npm test failed1 failed7,000 bytes cut");
  expect(text).toContain("running npm test1,234 tokens so far");
  // Standard error is not between the entries.
  expect(text.indexOf("a warning")).toBeGreaterThan(text.indexOf("tokens so far"));
  expect(box()?.querySelectorAll("li")).toHaveLength(2);
  expect(tabs()).toContain("Transcript");
});

test("it is read again when the agent reports more", async () => {
  const asked = await show([activity("fix", "reading a", 1)], { turns: [turn([entry("read", "a")])] });
  const before = asked.mock.calls.length;
  asked.mockResolvedValue({ turns: [turn([entry("read", "a"), entry("read", "b")])] });
  const bodies = [
    runStarted(),
    started("fix"),
    activity("fix", "reading a", 1),
    activity("fix", "read b", 2),
  ];
  const state = foldAll("r1", events("r1", bodies));
  await act(async () =>
    useRuns.setState({ live: { state, document, flowPath: null, live: true }, past: null }),
  );
  expect(box()?.querySelectorAll("li"), "the transcript before stays").toHaveLength(1);
  await act(async () => vi.advanceTimersByTimeAsync(400));
  expect(asked.mock.calls.length).toBe(before + 1);
  expect(box()?.querySelectorAll("li")).toHaveLength(2);
});

test("afterwards it is a tab, with what is left out and each attempt", async () => {
  useInspectorView.setState({ tab: "transcript" });
  const first = turn([entry("said", "a"), entry("said", "z")], { leftOut: 7998, leftOutAfter: 1, all: 8000 });
  await show([activity("fix", "said z", 8000), completed("fix")], { turns: [first, turn([])] });
  const text = page.host.textContent ?? "";
  expect(text).toContain("Attempt 1");
  expect(text).toContain("Attempt 2");
  expect(text).toMatch(/saida7,998 more entries, not recorded.*saidz/);
  expect(box()?.textContent).not.toContain("running npm test");
});

test("a step of another kind has no such tab, whatever tab was chosen before", async () => {
  useInspectorView.setState({ tab: "transcript" });
  await show([completed("fix")], { turns: [] });
  expect(tabs()).not.toContain("Transcript");
  expect(page.host.querySelector('[aria-selected="true"]')?.textContent).toBe("Output");
});
