// Names and stars of runs: they are set with a key or on the run's page, shown in the list and on that page,
// and used as filters.

import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../../components/testing";
import { api, replaceBackend } from "../../ipc/client";
import type { RunSummary } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { failure } from "../../ipc/testing/failures";
import { runDetail, runSummary } from "../../ipc/testing/values";
import { events, refine } from "../../runs/fold/samples";
import { useFirstWords } from "../../runs/words/first-words";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import { KeptHistory } from "../RunHistory";
import { useHistory } from "./store";

const page = pageForEach();
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

let runs: RunSummary[] = [];
const run = (index: number): RunSummary =>
  runSummary({
    runId: `run-${index}`,
    flow: "Self-Refine",
    startedAt: new Date(Date.UTC(2026, 4, 20) - index * 600_000).toISOString(),
  });

const settle = (ms = 30) => act(() => new Promise((done) => setTimeout(done, ms)));
const part = (selector: string) => page.host.querySelector<HTMLElement>(selector);
const starOf = (index: number) => part(`#run-run-${index} [aria-label="Starred"]`);
const nameOf = (index: number) =>
  part(`#run-run-${index} [data-testid="${testIds.runName}"]`)?.textContent ?? null;
const press = async (element: HTMLElement | null, key: string) => {
  act(() => {
    element?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  });
  await settle();
};
const click = async (selector: string) => {
  act(() => part(selector)?.click());
  await settle();
};
const list = () => part('[role="listbox"]');
/** Types a name into the open field and presses `key`. */
const type = async (name: string, key: "Enter" | "Escape") => {
  const field = part('[aria-label="Run name"]') as HTMLInputElement;
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, name);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  if (key === "Escape") return press(field, "Escape");
  act(() => field.form?.requestSubmit());
  await settle();
};

beforeEach(async () => {
  replaceBackend(testBackend());
  runs = [run(0), run(1)];
  const change = (id: string, change: Partial<RunSummary>) => {
    runs = runs.map((one) => (one.runId === id ? { ...one, ...change } : one));
  };
  vi.spyOn(api(), "findRuns").mockImplementation(async ({ statuses, starred }) => {
    const found = runs.filter(
      (one) => statuses.length === 0 && (starred === null || one.starred === starred),
    );
    return { runs: found, tally: { runs: found.length, spentUsd: null, medianMs: 1000 } };
  });
  vi.spyOn(api(), "renameRun").mockImplementation(async (id, name) => change(id, { name: name || null }));
  vi.spyOn(api(), "starRun").mockImplementation(async (id, starred) => change(id, { starred }));
  vi.spyOn(api(), "runFlows").mockResolvedValue([{ flow: "Self-Refine", runs: 2 }]);
  vi.spyOn(api(), "storeInfo").mockResolvedValue({ runs: 2, bytes: 1, limitBytes: null, path: "" });
  vi.spyOn(api(), "runDetail").mockImplementation(async (id) =>
    runDetail({
      summary: runs.find((one) => one.runId === id),
      document: { schemaVersion: 1, name: "Self-Refine", nodes: [], edges: [] },
      inputs: {},
      outputs: { result: "A text." },
    }),
  );
  const recorded = events("run-0", refine());
  vi.spyOn(api(), "runOutline").mockResolvedValue(recorded);
  vi.spyOn(api(), "runEvents").mockResolvedValue(recorded);
  useHistory.setState(useHistory.getInitialState(), true);
  // Another test covers the text that rows read from their runs.
  useFirstWords.setState({ want: () => undefined });
  useSession.setState({ view: "runs", toasts: [] });
  act(() => page.root.render(<KeptHistory />));
  await act(() => useHistory.getState().reload());
  await settle();
});

test("S stars the selected run, and takes the star away", async () => {
  await press(list(), "s");
  expect(starOf(0)).not.toBeNull();
  expect(starOf(1)).toBeNull();
  expect(part('[aria-label="Remove the star"]')?.getAttribute("aria-pressed")).toBe("true");
  await press(list(), "s");
  expect(starOf(0)).toBeNull();
  expect(vi.mocked(api().starRun).mock.calls).toEqual([
    ["run-0", true],
    ["run-0", false],
  ]);
});

test("the star beside the heading does the same", async () => {
  await click('[aria-label="Star this run"]');
  expect(starOf(0)).not.toBeNull();
  await click('[aria-label="Remove the star"]');
  expect(starOf(0)).toBeNull();
});

test("F2 names the selected run in one line, and Escape leaves the name as it was", async () => {
  await press(list(), "F2");
  await type("  The best\u00a0 one ", "Enter");
  expect(api().renameRun).toHaveBeenCalledWith("run-0", "The best one");
  expect(nameOf(0)).toBe("The best one");
  expect(part("h1")?.textContent).toBe("The best one");
  expect(part("h1")?.parentElement?.textContent).toContain("Self-Refine");
  await press(list(), "F2");
  await type("Another", "Escape");
  expect(nameOf(0)).toBe("The best one");
  expect(api().renameRun).toHaveBeenCalledTimes(1);
  await press(list(), "F2");
  await type("", "Enter");
  expect(nameOf(0)).toBeNull();
  expect(part("h1")?.textContent).toBe("Self-Refine");
});

test("the list can be narrowed to starred runs, and a run that loses its star goes from it", async () => {
  await press(list(), "s");
  await click('[data-testid="filter-starred"]');
  expect(page.host.querySelectorAll('[role="option"]')).toHaveLength(1);
  expect(part('[data-testid="filter-starred"]')?.getAttribute("aria-pressed")).toBe("true");
  await click('[aria-label="Remove the star"]');
  expect(page.host.querySelectorAll('[role="option"]')).toHaveLength(0);
  await click('[data-testid="filter-starred"]');
  expect(page.host.querySelectorAll('[role="option"]')).toHaveLength(2);
});

test("a name that is refused is said, and the run keeps its own", async () => {
  const refused = failure("noRun", "run-0");
  vi.mocked(api().renameRun).mockRejectedValue(refused);
  await press(list(), "F2");
  await type("New", "Enter");
  expect(nameOf(0)).toBeNull();
  expect(useSession.getState().toasts.at(-1)).toMatchObject({
    title: "The run was not renamed",
    detail: refused.message,
  });
});
