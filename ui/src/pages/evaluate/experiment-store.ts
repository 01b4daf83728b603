// The shown experiment: its report, the rows read so far, and its progress.
import { create } from "zustand";
import { api, errorMessage } from "../../ipc/client";
import type {
  CellResult,
  ExperimentProgress,
  ExperimentRow,
  ExperimentSummary,
  ExperimentView,
  PolicyReport,
} from "../../ipc/evaluation";
import { useSession } from "../../session/session";

/** The number of rows per request. */
export const PAGE = 100;
/**
 * The maximum number of pages kept in memory. When there are more, the least recently read ones are dropped.
 */
const MAX_PAGES = 60;
/** The maximum number of pages that one refresh reads again. */
const MAX_REFRESHED = 3;
/** The refresh interval of the report while the experiment runs, in milliseconds. */
const REPORT_INTERVAL_MS = 5000;

export type Tab = "curve" | "compare" | "policies" | "rate";
export type Pages = ReadonlyMap<number, readonly ExperimentRow[]>;

interface ExperimentState {
  list: ExperimentSummary[];
  shown: string | null;
  view: ExperimentView | null;
  failure: string | null;
  /** The progress of the running experiment; null if none is running. */
  progress: ExperimentProgress | null;
  pages: Pages;
  /** The indexes of the selected cases. */
  selected: ReadonlySet<number>;
  /** The iteration at which the run of a cell opens; null for the end of the run. */
  iteration: number | null;
  tab: Tab;
  policies: readonly string[];
  reports: readonly PolicyReport[] | null;
  /** The row to scroll to, or null. `turn` distinguishes repeated requests for the same row. */
  goal: { row: number; turn: number } | null;
  load(path: string | null): Promise<void>;
  show(id: string | null): Promise<void>;
  /**
   * Reads the shown experiment and its unfinished rows again. Needed because another program may be running
   * the experiment.
   */
  refresh(): Promise<void>;
  /** Reads the report and the row of a case again, for example after a rating. */
  reread(row: number): Promise<void>;
  need(first: number, last: number): Promise<void>;
  follow(progress: ExperimentProgress): void;
  select(rows: Iterable<number>): void;
  set(
    change: Partial<Pick<ExperimentState, "tab" | "iteration" | "policies" | "reports" | "progress">>,
  ): void;
  goTo(row: number): void;
}

export const rowAt = (pages: Pages, index: number): ExperimentRow | undefined =>
  pages.get(Math.floor(index / PAGE))?.[index % PAGE];

/** Returns the pages with new results merged in. Results for pages that are not loaded are dropped. */
export function withResults(pages: Pages, results: readonly CellResult[], repetitions: number): Pages {
  const next = new Map(pages);
  const copied = new Set<number>();
  for (const result of results) {
    const { case: index, variant, repetition } = result.cell;
    const page = Math.floor(index / PAGE);
    let rows = next.get(page);
    if (!rows) continue;
    if (!copied.has(page)) {
      rows = rows.slice();
      next.set(page, rows);
      copied.add(page);
    }
    const row = rows[index % PAGE];
    if (!row) continue;
    const cells = row.cells.slice();
    cells[variant * repetitions + repetition] = result;
    (rows as ExperimentRow[])[index % PAGE] = { ...row, cells };
  }
  return copied.size === 0 ? pages : next;
}

const requested = new Set<string>();
let reportAt = 0;

const nothing = {
  view: null,
  failure: null,
  pages: new Map() as Pages,
  selected: new Set<number>(),
  iteration: null,
  reports: null,
  goal: null,
};

export const useExperiment = create<ExperimentState>()((set, get) => ({
  ...nothing,
  list: [],
  shown: null,
  progress: null,
  tab: "curve",
  policies: [],
  load: async (path) => {
    try {
      const list = await api().experiments(path);
      set({ list });
      const { shown } = get();
      if (shown === null || !list.some((one) => one.id === shown)) await get().show(list[0]?.id ?? null);
    } catch (error) {
      set({ failure: errorMessage(error) });
    }
  },
  show: async (id) => {
    const isSame = id === get().shown;
    set(isSame ? { failure: null } : { ...nothing, shown: id });
    if (id === null) return;
    reportAt = Date.now();
    try {
      const view = await api().experiment(id);
      if (get().shown !== id) return;
      set({ view, list: get().list.map((one) => (one.id === id ? view.summary : one)) });
    } catch (error) {
      if (get().shown === id) set({ failure: errorMessage(error) });
    }
  },
  refresh: async () => {
    const { shown, pages, show } = get();
    if (shown === null) return;
    await show(shown);
    const isOpen = (rows: readonly ExperimentRow[]) =>
      rows.some(({ cells }) => cells.some((cell) => cell === null || cell.status === "running"));
    const open = [...pages].filter(([, rows]) => isOpen(rows)).slice(-MAX_REFRESHED);
    try {
      for (const [page] of open) {
        const rows = await api().experimentRows(shown, page * PAGE, PAGE);
        if (get().shown !== shown) return;
        set({ pages: new Map(get().pages).set(page, rows) });
      }
    } catch (error) {
      if (get().shown === shown) set({ failure: errorMessage(error) });
    }
  },
  reread: async (row) => {
    const { shown, show } = get();
    if (shown === null) return;
    const page = Math.floor(row / PAGE);
    try {
      const [rows] = await Promise.all([api().experimentRows(shown, page * PAGE, PAGE), show(shown)]);
      if (get().shown === shown && get().pages.has(page))
        set({ pages: new Map(get().pages).set(page, rows) });
    } catch (error) {
      if (get().shown === shown) set({ failure: errorMessage(error) });
    }
  },
  need: async (first, last) => {
    const { shown, view } = get();
    if (shown === null || view === null) return;
    const end = Math.min(last, view.caseCount - 1);
    for (let page = Math.floor(first / PAGE); page <= Math.floor(end / PAGE); page++) {
      const request = `${shown}/${page}`;
      if (get().pages.has(page) || requested.has(request)) continue;
      requested.add(request);
      try {
        const rows = await api().experimentRows(shown, page * PAGE, PAGE);
        if (get().shown !== shown) return;
        const pages = new Map(get().pages).set(page, rows);
        const oldest = pages.keys().next().value;
        if (pages.size > MAX_PAGES && oldest !== undefined) pages.delete(oldest);
        set({ pages });
      } catch (error) {
        if (get().shown === shown) set({ failure: errorMessage(error) });
        return;
      } finally {
        requested.delete(request);
      }
    }
  },
  follow: (progress) => {
    const { shown, view } = get();
    const isOver = progress.status !== "running";
    set({ progress: isOver ? null : progress });
    if (shown === progress.id && view !== null) {
      const { done, failed, total, costUsd, status } = progress;
      set({
        pages: withResults(get().pages, progress.finished, view.evaluation.repetitions ?? 1),
        view: { ...view, summary: { ...view.summary, done, failed, total, costUsd, status } },
      });
    }
    if (isOver || Date.now() - reportAt > REPORT_INTERVAL_MS) {
      reportAt = Date.now();
      if (shown === progress.id) void get().show(progress.id);
      const { done, failed, total, costUsd, status } = progress;
      set({
        list: get().list.map((one) =>
          one.id === progress.id ? { ...one, done, failed, total, costUsd, status } : one,
        ),
      });
    }
    if (isOver && progress.failed > 0)
      useSession.getState().toast({
        tone: "warn",
        title: `${progress.failed} of ${progress.total} runs failed`,
        detail: "These runs have no score. Choose “Rerun failed” to repeat them.",
      });
  },
  select: (rows) => set({ selected: new Set(rows) }),
  set: (change) => set(change),
  goTo: (row) => set({ goal: { row, turn: (get().goal?.turn ?? 0) + 1 } }),
}));
