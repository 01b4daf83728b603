// A history with several places: this computer and shared stores. If a store does not answer, one line says
// so.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { openList, pageForEach } from "../../components/testing";
import { api, replaceBackend } from "../../ipc/client";
import type { BatchView, RunSummary } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { storeDoubles } from "../../ipc/testing/stores";
import { runDetail, runSummary } from "../../ipc/testing/values";
import { useRequests } from "../../runs/session/requests";
import { useStores } from "../../runs/session/stores";
import { useFirstWords } from "../../runs/words/first-words";
import { useDialog } from "../../session/dialog";
import { useSession } from "../../session/session";
import { QuestionDialog } from "../../shell/QuestionDialog";
import { RunHistory } from "../RunHistory";
import { useBatches } from "./batches";
import { NO_FILTER } from "./filter";
import { HistoryBar } from "./HistoryBar";
import { useHistory } from "./store";

const page = pageForEach();
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

const run = (runId: string, more: Partial<RunSummary> = {}): RunSummary =>
  runSummary({
    runId,
    flow: "Summarise",
    startedAt: new Date(2026, 4, 20, 10, 42).toISOString(),
    usage: { calls: 1, input_tokens: 0, output_tokens: 0, cost_usd: 0 },
    exitReason: null,
    ...more,
  });
const batch = (more: Partial<BatchView> = {}): BatchView => ({
  name: "articles",
  flow: "Summarise",
  createdAt: Date.UTC(2026, 4, 20),
  stopped: false,
  runs: 5,
  queued: 1,
  running: 1,
  suspended: 0,
  completed: 2,
  failed: 1,
  cancelled: 0,
  costUsd: 0.12,
  budgetUsd: 5,
  ...more,
});
const check = { runs: 2, bytes: 4096, workers: [] };
const detail = (summary: RunSummary) =>
  runDetail({
    summary,
    document: { schemaVersion: 1, name: summary.flow, nodes: [], edges: [] },
    inputs: {},
    outputs: {},
  });

let backend: ReturnType<typeof testBackend>;
beforeEach(async () => {
  HTMLDialogElement.prototype.showModal ??= () => {};
  storeDoubles.clear();
  backend = testBackend();
  replaceBackend({
    ...backend,
    runDetail: async (id) => detail(run(id)),
    runOutline: async () => [],
    runEvents: async () => [],
  });
  useHistory.setState({ ...useHistory.getInitialState(), filter: NO_FILTER }, true);
  useBatches.setState(useBatches.getInitialState(), true);
  useStores.setState({ stores: [], silent: {} });
  useRequests.setState({ byRun: {} });
  useFirstWords.setState({ want: () => undefined });
  useSession.setState({ view: "runs", toasts: [] });
});

const settle = () => act(() => new Promise((done) => setTimeout(done, 30)));
async function show(): Promise<void> {
  await act(async () =>
    page.root.render(
      <>
        <HistoryBar />
        <RunHistory />
        <QuestionDialog />
      </>,
    ),
  );
  await settle();
}
const text = () => page.host.textContent ?? "";
const elementById = (id: string) => page.host.querySelector<HTMLElement>(`[data-testid="${id}"]`);
const lines = () => page.host.querySelectorAll('[data-testid="out-of-reach"]');
const press = (id: string) => act(async () => elementById(id)?.click());
const button = (label: string) =>
  [...page.host.querySelectorAll("button")].find((one) => one.textContent?.trim() === label);
const setWhere = async (where: string | null) => {
  await act(async () => useHistory.getState().setWhere(where));
  await settle();
};
async function answer(label: string): Promise<void> {
  const choices = [...page.host.querySelectorAll<HTMLElement>("dialog button")];
  await act(async () => choices.find((one) => one.textContent === label)?.click());
  await settle();
}

async function withStore(): Promise<void> {
  storeDoubles.set("work", {
    check,
    batches: [batch()],
    runs: [run("work/b", { status: "queued", durationMs: null }), run("work/a", { flow: "Translate" })],
    batchRuns: { articles: ["work/b"] },
  });
  await backend.addStore("work", "postgres://me:secret@db/runs");
}

test("without stores nothing asks where", async () => {
  await show();
  expect(page.host.querySelector('[aria-label^="Where: "]')).toBeNull();
  expect(text()).toContain("Choose a template");
});

test("the runs, sums and workflows of a store are listed, and are found", async () => {
  await withStore();
  await show();
  // This computer has no runs, but the choice of the place is still shown.
  expect(text()).toContain("No runs yet");
  const where = page.host.querySelector<HTMLElement>('[aria-label^="Where: "]');
  expect(where?.getAttribute("aria-label")).toBe("Where: This computer");
  await act(async () => openList(where as HTMLElement));
  const entry = [...document.querySelectorAll<HTMLElement>("[role=menuitem]")].find((one) =>
    one.textContent?.includes("postgres://me@db/runs"),
  );
  await act(async () => entry?.click());
  await settle();
  expect(useHistory.getState()).toMatchObject({ where: "work", selected: "work/b" });
  expect(page.host.querySelectorAll('[role="option"]')).toHaveLength(2);
  expect(page.host.querySelector('[data-region="runs"] [aria-live="polite"]')?.textContent).toContain(
    "2 runs",
  );
  expect(elementById("store-size")?.textContent).toContain("2 runs kept");
  expect(page.host.querySelector('[id="run-work/b"]')?.textContent).toContain("queued");
  expect(elementById("run-place")?.textContent).toBe("work");
  await act(async () => useHistory.getState().setFilter({ flow: "Translate" }));
  await settle();
  expect(page.host.querySelectorAll('[role="option"]')).toHaveLength(1);
  // A workflow of the store may have no runs on this computer.
  await setWhere(null);
  expect(useHistory.getState().filter.flow).toBeNull();
});

test("runs are imported on this computer alone, and run again there", async () => {
  await withStore();
  await show();
  expect(elementById("import-run")).not.toBeNull();
  await setWhere("work");
  expect(elementById("import-run")).toBeNull();
  expect(elementById("run-again")?.textContent).toBe("Run on this computer");
});

test("a store that does not answer has one line, whoever asks and however often", async () => {
  await backend.addStore("work", "postgres://db/runs");
  await show();
  await setWhere("work");
  expect(lines()).toHaveLength(1);
  expect(lines()[0]?.textContent).toContain("The store work cannot be reached. It does not answer.");
  for (let i = 0; i < 4; i += 1) await act(async () => useHistory.getState().look());
  await act(async () => useHistory.getState().setFilter({ search: "x" }));
  await settle();
  expect(lines()).toHaveLength(1);
  expect(page.host.querySelectorAll('[role="alert"]')).toHaveLength(0);
  expect(useSession.getState().toasts).toEqual([]);

  // Meanwhile the history on this computer works and shows no message.
  await setWhere(null);
  expect(lines()).toHaveLength(0);
  expect(useHistory.getState().failure).toBeNull();

  await act(async () => useHistory.getState().setFilter({ search: "" }));
  await setWhere("work");
  await withStoreThere();
  await act(async () => button("Try again")?.click());
  await settle();
  expect(lines()).toHaveLength(0);
  expect(page.host.querySelectorAll('[role="option"]')).toHaveLength(1);
});

async function withStoreThere(): Promise<void> {
  storeDoubles.set("work", { check, batches: [], runs: [run("work/a")] });
}

test("a store that goes away keeps its list, and comes back by itself", async () => {
  await withStore();
  await show();
  await setWhere("work");
  const kept = storeDoubles.get("work");
  storeDoubles.clear();
  await act(async () => useHistory.getState().look());
  expect(lines()).toHaveLength(1);
  expect(page.host.querySelectorAll('[role="option"]')).toHaveLength(2);
  // The loaded content of the selected run also stays.
  expect(page.host.querySelector("h1")?.textContent).toBe("Summarise");
  if (kept) storeDoubles.set("work", kept);
  await act(async () => useHistory.getState().look());
  await settle();
  expect(lines()).toHaveLength(0);
});

test("a store is not asked again before it has failed to answer", async () => {
  await withStore();
  await show();
  await setWhere("work");
  const find = vi.spyOn(api(), "findRuns").mockReturnValue(new Promise(() => {}));
  void useHistory.getState().look();
  void useHistory.getState().look();
  expect(find).toHaveBeenCalledTimes(1);
});

test("a store whose name is removed is left", async () => {
  await withStore();
  await show();
  await setWhere("work");
  await backend.removeStore("work");
  await act(async () => useStores.getState().load());
  expect(useHistory.getState().where).toBeNull();
});

test("what was asked of a listed run is said until its status is another one", async () => {
  storeDoubles.set("work", {
    check,
    batches: [],
    runs: [run("work/a", { status: "interrupted" })],
  });
  await backend.addStore("work", "postgres://db/runs");
  const stop = vi.fn();
  replaceBackend({ ...api(), stopRun: stop });
  await show();
  await setWhere("work");
  await act(async () => button("Discard")?.click());
  await answer("Discard");
  expect(stop).toHaveBeenCalledWith("work/a");
  expect(page.host.querySelector('[data-region="runs"] [data-testid="run-request"]')?.textContent).toBe(
    "Asked to stop…",
  );
  storeDoubles.set("work", { check, batches: [], runs: [run("work/a", { status: "cancelled" })] });
  await act(async () => useHistory.getState().look());
  expect(useRequests.getState().byRun).toEqual({});
});

async function showBatches(): Promise<void> {
  await withStore();
  await show();
  await setWhere("work");
  await act(async () => button("Batches")?.click());
  await settle();
}

test("batches are listed with their progress in words, and open beside the table", async () => {
  await showBatches();
  const row = elementById("batch-row-articles");
  expect(row?.textContent).toContain("2 done, 1 failed, 1 running, 1 queued");
  expect(row?.textContent).toContain("$0.12 of $5.00");
  const bar = row?.querySelector('[role="progressbar"]');
  expect([bar?.getAttribute("aria-valuenow"), bar?.getAttribute("aria-valuemax")]).toEqual(["3", "5"]);
  const name = row?.querySelector("button");
  await act(async () => name?.click());
  await settle();
  expect(name?.getAttribute("aria-pressed")).toBe("true");
  expect(
    [...page.host.querySelectorAll('[data-testid="batch-panel"] li button')].map(
      (one) => one.id || one.getAttribute("data-testid"),
    ),
  ).toEqual(["batch-run-work/b"]);

  // The batches are polled while they are visible.
  storeDoubles.get("work")?.batches.splice(0, 1, batch({ completed: 4, running: 0, queued: 0 }));
  await act(async () => useBatches.getState().look());
  expect(row?.textContent).toContain("4 done, 1 failed");
  expect((elementById("batch-stop") as HTMLButtonElement).disabled).toBe(true);
});

test("all runs of a long batch are listed, and the chip that says so is cleared", async () => {
  storeDoubles.set("work", {
    check,
    batches: [batch({ runs: 21 })],
    runs: [run("work/b"), run("work/a")],
    batchRuns: { articles: ["work/a"] },
  });
  await backend.addStore("work", "postgres://db/runs");
  await show();
  await setWhere("work");
  await act(async () => button("Batches")?.click());
  await settle();
  await act(async () => page.host.querySelector<HTMLElement>("tbody button")?.click());
  await settle();
  await act(async () => button("Show all 21 runs")?.click());
  await settle();
  expect(elementById("run-row-work/a")).not.toBeNull();
  expect(elementById("run-row-work/b")).toBeNull();
  await act(async () =>
    page.host.querySelector<HTMLElement>('[aria-label="Batch: articles. Clear"]')?.click(),
  );
  await settle();
  expect(elementById("run-row-work/b")).not.toBeNull();
});

test("a batch is stopped and deleted once the person is sure, and run again", async () => {
  await showBatches();
  await act(async () => elementById("batch-row-articles")?.click());
  await press("batch-stop");
  expect(useDialog.getState().open?.question.detail).toContain("2 runs that have not ended");
  await answer("Cancel");
  expect(storeDoubles.get("work")?.batches[0]?.stopped).toBe(false);
  await press("batch-stop");
  await answer("Stop");
  expect(elementById("batch-row-articles")?.textContent).toContain("2 done, 1 failed, 2 stopped");

  await press("batch-retry");
  await settle();
  expect(elementById("batch-row-articles")?.textContent).toContain("2 done, 3 queued");
  const save = vi.spyOn(api(), "saveBatchOutputs");
  vi.spyOn(api(), "pickExport").mockResolvedValue("/out.jsonl");
  await press("batch-outputs");
  await settle();
  expect(save).toHaveBeenCalledWith("work", "articles", "/out.jsonl");

  await press("batch-delete");
  expect(useDialog.getState().open?.question.detail).toContain("its 5 runs from the store");
  await answer("Delete");
  expect(elementById("batch-row-articles")).toBeNull();
  expect(text()).toContain("loopwright submit FLOW --store work");
});

test("batches of a store that does not answer have the same one line", async () => {
  await showBatches();
  storeDoubles.clear();
  for (let i = 0; i < 3; i += 1) await act(async () => useBatches.getState().look());
  expect(lines()).toHaveLength(1);
  expect(elementById("batch-row-articles")).not.toBeNull();
  expect(useSession.getState().toasts).toEqual([]);
});
