// The schedules in the history: their firings, including those without a run, and the note about one that did not start.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../../components/testing";
import { replaceBackend } from "../../ipc/client";
import type { FiringView, ScheduleView } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { runDetail, runSummary } from "../../ipc/testing/values";
import { events, refine } from "../../runs/fold/samples";
import { formatMoment } from "../../runs/words/format";
import { testIds } from "../../testids";
import { RunHistory } from "../RunHistory";
import { missedWords, timesWords, useSchedules } from "./schedules";
import { useHistory } from "./store";

const page = pageForEach();
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

const NOW = Date.now();
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
const started: FiringView = {
  at: ago(10),
  planned: ago(10),
  result: "started",
  runId: "r1",
  status: "completed",
  endedAt: ago(9),
  deleted: false,
};
const deleted: FiringView = { ...started, at: ago(20), planned: null, runId: "r0", deleted: true };
const failed: FiringView = {
  at: ago(5),
  planned: ago(5),
  result: "failed_to_start",
  reason: "The flow has changed since it was approved.",
};
const missed: FiringView = {
  at: ago(4),
  planned: null,
  result: "missed",
  first: ago(130),
  last: ago(10),
  count: 3,
  activeSince: null,
};
const schedule = (
  name: string,
  firings: FiringView[],
  changes: Partial<ScheduleView> = {},
): ScheduleView => ({
  name,
  flow: `/flows/${name}.flow.json`,
  times: { at: "02:00" },
  next: ago(-60),
  budgetUsd: 5,
  removed: false,
  error: null,
  firings,
  firingsKept: firings.length,
  ...changes,
});

let schedules: ScheduleView[];
let asked: number[];
beforeEach(() => {
  schedules = [];
  asked = [];
  const summary = runSummary({ runId: "r1", schedule: "nightly" });
  const recorded = events("r1", refine());
  replaceBackend({
    ...testBackend(),
    schedules: async (firings) => {
      asked.push(firings);
      return structuredClone(schedules);
    },
    findRuns: async (query) => ({
      runs: query.statuses.length === 0 ? [summary] : [],
      tally: { runs: 1, spentUsd: null, medianMs: null },
    }),
    storeInfo: async () => ({ runs: 1, bytes: 1, limitBytes: null, path: "" }),
    runDetail: async () => runDetail({ summary }),
    runOutline: async () => recorded,
    runEvents: async () => recorded,
  });
  useHistory.setState(useHistory.getInitialState(), true);
  useSchedules.setState(useSchedules.getInitialState(), true);
});

async function render(...given: ScheduleView[]): Promise<void> {
  schedules = given;
  await act(async () => page.root.render(<RunHistory />));
  await seen("02:00", () => asked.length > 0);
}

/** Waits until the condition holds. */
const seen = (what: string, holds: () => boolean) =>
  act(() =>
    vi.waitFor(() => {
      if (!holds()) throw new Error(`${what} is not shown`);
    }),
  );

/** Presses the button with this test id, label or text. */
async function press(name: string): Promise<void> {
  const found = [...page.host.querySelectorAll("button")].find(
    (one) => [one.dataset.testid, one.getAttribute("aria-label")].includes(name) || one.textContent === name,
  );
  if (found === undefined) throw new Error(`there is no button ${name}`);
  await act(async () => found.click());
}

const panel = () => page.host.querySelector(`[data-testid="${testIds.schedulePanel}"]`)?.textContent ?? "";
const note = () => page.host.querySelector(`[data-testid="${testIds.scheduleFailed}"]`)?.textContent ?? "";

test("without a schedule, the history has no choice of schedules", async () => {
  await render();
  expect(page.host.textContent).not.toContain("Schedules");
  expect(note()).toBe("");
});

test("a row of a run names its schedule", async () => {
  await render();
  await seen("the run", () => page.host.querySelector(`[data-testid="${testIds.runRow("r1")}"]`) !== null);
  expect(page.host.querySelector(`[data-testid="${testIds.runRow("r1")}"]`)?.textContent).toContain(
    "nightly",
  );
});

test("a firing that could not start is reported, and its reason is shown", async () => {
  await render(schedule("hourly", [started]), schedule("nightly", [failed, deleted]));
  await seen("the note", () => note() !== "");
  expect(note()).toContain(
    `The schedule nightly could not start a run at ${formatMoment(NOW - 5 * 60_000, NOW)}.`,
  );
  expect(asked).toEqual([1]);
  await press("Show why");
  await seen("the schedule", () => panel() !== "");
  expect(asked.at(-1)).toBe(100);
  expect(panel()).toContain("every day at 02:00");
  expect(panel()).toContain("nightly.flow.json");
  expect(panel()).toContain("$5.00");
  expect(panel()).toContain("failed to start");
  expect(panel()).toContain("The flow has changed since it was approved.");
  expect(panel()).toContain("The run was deleted.");
});

test("a dismissed failure is not reported again, but the next one is", async () => {
  await render(schedule("nightly", [failed]));
  await seen("the note", () => note() !== "");
  await press("Dismiss");
  expect(note()).toBe("");
  schedules = [schedule("nightly", [{ ...failed, at: ago(1) }])];
  await act(() => useSchedules.getState().look());
  expect(note()).toContain("The schedule nightly could not start a run");
});

test("once the schedule starts a run, its failure is no longer reported", async () => {
  await render(schedule("nightly", [started, failed]));
  await seen("the schedules", () => page.host.textContent.includes("Schedules"));
  expect(note()).toBe("");
});

test("missed times and a removed schedule are listed, and a run can be shown", async () => {
  useHistory.setState({ tab: "schedules" });
  await render(
    schedule("nightly", [missed, started]),
    schedule("old", [deleted], { removed: true, flow: null, times: null, next: null }),
    schedule("torn", [], { error: "The schedule cannot be read.", flow: null, times: null, next: null }),
  );
  await seen("the schedule", () => panel().includes("nightly"));
  expect(panel()).toContain("Missed 3 times");
  const old = page.host.querySelector<HTMLButtonElement>(`[data-testid="${testIds.scheduleRow("old")}"]`);
  expect(old?.textContent).toContain("removed");
  await press(testIds.scheduleRow("old"));
  expect(panel()).toContain("The schedule was removed. Its history is kept.");
  await press(testIds.scheduleRow("torn"));
  expect(panel()).toContain("The schedule cannot be read.");
  await press(testIds.scheduleRow("nightly"));
  await press("Show the run");
  expect(useHistory.getState()).toMatchObject({ tab: "runs", selected: "r1" });
});

test("times and missed times are described", () => {
  expect(timesWords({ every: "PT1H30M" })).toBe("every 1 h 30 min");
  expect(timesWords({ every: "PT1H" })).toBe("every hour");
  expect(timesWords({ every: "PT15M" })).toBe("every 15 min");
  expect(timesWords({ cron: "0 2 * * 1-5" })).toBe("cron 0 2 * * 1-5");
  const at = (clock: string) => new Date(`2026-12-02T${clock}:00`);
  const one = { ...missed, count: 1, first: at("02:00").toISOString() };
  expect(missedWords(one, at("09:00").getTime())).toBe(
    "Missed 02:00: the computer was off or asleep, or nobody was logged in.",
  );
  const active = { ...missed, first: at("03:00").toISOString(), last: at("05:00").toISOString() };
  expect(missedWords({ ...active, activeSince: at("02:00").toISOString() }, at("09:00").getTime())).toBe(
    "Missed 3 times, from 03:00 to 05:00: the run started at 02:00 was still active.",
  );
});
