// A history with many runs: which rows it renders, which requests it makes, and that it is rendered before it
// is opened.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { nextRegionCommand } from "../../commands/window";
import { pageForEach } from "../../components/testing";
import { api, replaceBackend } from "../../ipc/client";
import type { RunSummary } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { runDetail, runSummary } from "../../ipc/testing/values";
import { events, refine } from "../../runs/fold/samples";
import { useFirstWords } from "../../runs/words/first-words";
import { useSession } from "../../session/session";
import { KeptHistory } from "../RunHistory";
import { useHistory } from "./store";

const page = pageForEach();
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

const RUNS = 10_000;
const run = (index: number): RunSummary =>
  runSummary({
    runId: `run-${index}`,
    flow: "Self-Refine",
    startedAt: new Date(Date.UTC(2026, 4, 20) - index * 600_000).toISOString(),
  });
const all = Array.from({ length: RUNS }, (_, i) => run(i));
const detail = runDetail({
  summary: all[0],
  document: { schemaVersion: 1, name: "Self-Refine", nodes: [], edges: [] },
  inputs: {},
  outputs: { result: "A text." },
});

beforeEach(() => {
  replaceBackend(testBackend());
  const recorded = events("run-0", refine());
  vi.spyOn(api(), "findRuns").mockImplementation(async ({ offset, limit, statuses }) => ({
    runs: statuses.length > 0 ? [] : all.slice(offset, offset + limit),
    tally: { runs: statuses.length > 0 ? 0 : RUNS, spentUsd: null, medianMs: 1000 },
  }));
  vi.spyOn(api(), "storeInfo").mockResolvedValue({ runs: RUNS, bytes: 1, limitBytes: null, path: "" });
  vi.spyOn(api(), "runFlows").mockResolvedValue([{ flow: "Self-Refine", runs: RUNS }]);
  vi.spyOn(api(), "runDetail").mockResolvedValue(detail);
  vi.spyOn(api(), "runOutline").mockResolvedValue(recorded);
  vi.spyOn(api(), "runEvents").mockResolvedValue(recorded);
  useHistory.setState(useHistory.getInitialState(), true);
  // Another test covers the text that rows read from their runs.
  useFirstWords.setState({ want: () => undefined });
  useSession.setState({ view: "gallery" });
});

const rows = () => page.host.querySelectorAll('[role="option"]');
const isHidden = () => (page.host.firstElementChild as HTMLElement).style.display === "none";
const settle = () => act(() => new Promise((done) => setTimeout(done, 30)));
const show = async (view: "gallery" | "runs") => {
  act(() => useSession.setState({ view }));
  await settle();
};

test("of 10,000 runs a screenful is drawn, from one page", async () => {
  useSession.setState({ view: "runs" });
  act(() => page.root.render(<KeptHistory />));
  await settle();
  // jsdom has no layout, so only the rows beyond the view are drawn.
  expect(rows().length).toBeGreaterThan(3);
  expect(rows().length).toBeLessThan(40);
  const offsets = vi.mocked(api().findRuns).mock.calls.map(([query]) => query.offset);
  expect(new Set(offsets)).toEqual(new Set([0]));
});

test("once it is read it is drawn behind another page, and asks for no run before it is shown", async () => {
  act(() => page.root.render(<KeptHistory />));
  expect(rows().length).toBe(0);
  await act(() => useHistory.getState().reload());
  await settle();
  expect(rows().length).toBeGreaterThan(10);
  expect(isHidden()).toBe(true);
  expect(api().runDetail).not.toHaveBeenCalled();

  const before = rows()[3];
  await show("runs");
  expect(isHidden()).toBe(false);
  expect(rows()[3]).toBe(before);
  expect(api().runDetail).toHaveBeenCalledTimes(1);
});

test("a run that is over is not read again when the history is come back to", async () => {
  useSession.setState({ view: "runs" });
  act(() => page.root.render(<KeptHistory />));
  await settle();
  const heading = page.host.querySelector("h1");
  expect(heading?.textContent).toBe("Self-Refine");
  await show("gallery");
  await show("runs");
  expect(page.host.querySelector("h1")).toBe(heading);
  expect(api().runDetail).toHaveBeenCalledTimes(1);
});

test("keys do not lead into a history that is hidden", async () => {
  await act(() => useHistory.getState().reload());
  act(() => page.root.render(<KeptHistory />));
  await settle();
  const canvas = document.createElement("section");
  canvas.dataset.region = "canvas";
  canvas.tabIndex = -1;
  canvas.innerHTML = "<button>here</button>";
  document.body.prepend(canvas);
  nextRegionCommand.run();
  nextRegionCommand.run();
  expect(canvas.contains(document.activeElement)).toBe(true);
  canvas.remove();
});
