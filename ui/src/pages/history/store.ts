// The history as the page knows it: what is filtered for, the pages of runs that were read, and what is chosen. Runs
// come from the store a page at a time, so that ten thousand open as fast as ten.
import { create } from "zustand";
import { api, errorMessage } from "../../ipc/client";
import type { FlowRuns, RunSummary, RunTally, StoreInfo } from "../../ipc/generated/bindings";
import { type Filter, isFiltered, NO_FILTER, toQuery } from "./filter";

/** Runs that are asked for at a time. */
export const PAGE = 100;

type HistoryState = {
  readonly filter: Filter;
  /** Pages of runs by number, from 0; those that nobody has scrolled to are missing. */
  readonly pages: ReadonlyMap<number, readonly RunSummary[]>;
  /** What all runs that fit come to; null until the first answer. */
  readonly tally: RunTally | null;
  readonly failure: string | null;
  readonly flows: readonly FlowRuns[];
  readonly info: StoreInfo | null;
  /** Runs that were cut off and can be taken up again, newest first. */
  readonly interrupted: readonly RunSummary[];
  /** Banners that somebody closed, by run. */
  readonly dismissed: ReadonlySet<string>;
  readonly selected: string | null;
  /** The run that the selected one is compared with. */
  readonly compared: string | null;
  setFilter(change: Partial<Filter>): void;
  select(runId: string | null): void;
  compare(runId: string | null): void;
  swap(): void;
  dismiss(runId: string): void;
  /** Reads everything again; what is chosen stays where it still is. */
  reload(): Promise<void>;
  /** Looks whether the first page is another by now, as another program writes to the same store, and takes it up. */
  look(): Promise<void>;
  /** Reads a page unless it is there or under way. */
  loadPage(page: number): void;
};

/** Answers to questions that were asked before the filter changed are not wanted any more. */
let turn = 0;
let asked = new Set<number>();
/** "The last seven days" counts from when the filter was set, or pages would shift against each other. */
let filteredAt = Date.now();

export const useHistory = create<HistoryState>()((set, get) => ({
  filter: NO_FILTER,
  pages: new Map(),
  tally: null,
  failure: null,
  flows: [],
  info: null,
  interrupted: [],
  dismissed: new Set(),
  selected: null,
  compared: null,

  setFilter(change) {
    set({ filter: { ...get().filter, ...change } });
    void readFirst(isFiltered(get().filter));
  },
  select: (selected) => set((s) => ({ selected, compared: s.compared === selected ? null : s.compared })),
  compare: (compared) => set({ compared }),
  swap: () => set((s) => (s.compared === null ? s : { selected: s.compared, compared: s.selected })),
  dismiss: (runId) => set((s) => ({ dismissed: new Set(s.dismissed).add(runId) })),

  async reload() {
    const around = Promise.all([
      api().runFlows(),
      api().storeInfo(),
      api().findRuns({ ...toQuery(NO_FILTER, 0, 0, 20), statuses: ["interrupted"] }),
    ]).then(([flows, info, interrupted]) => set({ flows, info, interrupted: interrupted.runs }));
    await Promise.all([readFirst(), around]).catch((error: unknown) => set({ failure: errorMessage(error) }));
  },

  async look() {
    const mine = turn;
    const before = get().pages.get(0) ?? [];
    const found = await api()
      .findRuns(toQuery(get().filter, filteredAt, 0, PAGE))
      .catch(() => null);
    // What cannot be read now is asked for again soon, and said when somebody asks.
    if (found === null || mine !== turn) return;
    const { runs, tally } = found;
    const isSameList = tally.runs === get().tally?.runs && runs.every((r, i) => r.runId === before[i]?.runId);
    if (!isSameList || get().failure !== null) return get().reload();
    const page = unchanged(before, runs);
    if (page !== before) set((s) => ({ tally, pages: new Map(s.pages).set(0, page) }));
  },

  loadPage(page) {
    if (get().pages.has(page) || asked.has(page)) return;
    const mine = turn;
    asked.add(page);
    api()
      .findRuns(toQuery(get().filter, filteredAt, page * PAGE, PAGE))
      .then(
        ({ runs }) => mine === turn && set((s) => ({ pages: new Map(s.pages).set(page, runs) })),
        (error) => mine === turn && set({ failure: errorMessage(error) }),
      )
      .finally(() => mine === turn && asked.delete(page));
  },
}));

/**
 * Reads the list anew from its top, and keeps what is shown until the answer is there. `among`: what is shown is to be one
 * of those that were found.
 */
async function readFirst(among = false): Promise<void> {
  turn += 1;
  const mine = turn;
  asked = new Set();
  filteredAt = Date.now();
  try {
    const { runs, tally } = await api().findRuns(toQuery(useHistory.getState().filter, filteredAt, 0, PAGE));
    if (mine !== turn) return;
    useHistory.setState((s) => ({
      pages: new Map([[0, unchanged(s.pages.get(0), runs)]]),
      tally,
      failure: null,
      selected:
        (!among || runs.some((run) => run.runId === s.selected) ? s.selected : null) ??
        runs[0]?.runId ??
        null,
    }));
  } catch (error) {
    if (mine === turn) useHistory.setState({ failure: errorMessage(error) });
  }
}

/** The page as it was where nothing of it changed, else with the rows that did not: these are not drawn anew. */
function unchanged(before: readonly RunSummary[] | undefined, runs: readonly RunSummary[]) {
  if (before === undefined) return runs;
  const known = new Map(before.map((run) => [run.runId, run]));
  const same = runs.map((run) => {
    const old = known.get(run.runId);
    return old !== undefined && JSON.stringify(old) === JSON.stringify(run) ? old : run;
  });
  return same.length === before.length && same.every((run, i) => run === before[i]) ? before : same;
}

export function rowAt(
  pages: ReadonlyMap<number, readonly RunSummary[]>,
  index: number,
): RunSummary | undefined {
  return pages.get(Math.floor(index / PAGE))?.[index % PAGE];
}

/** The run below another in the list, or where there is none the one above. */
export function neighbourOf(pages: ReadonlyMap<number, readonly RunSummary[]>, runId: string): string | null {
  const at = indexOf(pages, runId);
  return at < 0 ? null : ((rowAt(pages, at + 1) ?? rowAt(pages, at - 1))?.runId ?? null);
}

/** A run among those that were read; its place in the list, or −1. */
export function indexOf(pages: ReadonlyMap<number, readonly RunSummary[]>, runId: string | null): number {
  for (const [page, runs] of pages) {
    const at = runs.findIndex((run) => run.runId === runId);
    if (at >= 0) return page * PAGE + at;
  }
  return -1;
}
