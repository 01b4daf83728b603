// The state of the history page: the filter, the loaded pages of runs, and the selection. Runs are loaded in
// pages, so that ten thousand open as fast as ten.
import { create } from "zustand";
import { type ApiFailure, api, asFailure } from "../../ipc/client";
import type { FlowRuns, RunSummary, RunTally, StoreInfo } from "../../ipc/generated/bindings";
import { useRequests } from "../../runs/session/requests";
import { sessionOf } from "../../runs/session/store";
import { useStores } from "../../runs/session/stores";
import { isWatched } from "../../runs/session/watching";
import { type Filter, isFiltered, NO_FILTER, toQuery } from "./filter";
import { underParents } from "./forks";

/** The number of runs per request. */
export const PAGE = 100;

/** The marks a person gives a run to find it again. */
export type RunLabel = Pick<RunSummary, "name" | "starred">;

type HistoryState = {
  /** The shared store whose runs are listed; null for this computer. */
  readonly where: string | null;
  /** The shown part of a store. */
  readonly tab: "runs" | "batches";
  readonly filter: Filter;
  /** The loaded pages of runs by number, from 0. */
  readonly pages: ReadonlyMap<number, readonly RunSummary[]>;
  /** The totals of all matching runs; null until the first result. */
  readonly tally: RunTally | null;
  readonly failure: ApiFailure | null;
  readonly flows: readonly FlowRuns[];
  readonly info: StoreInfo | null;
  /** The interrupted runs that can be resumed, newest first. */
  readonly interrupted: readonly RunSummary[];
  /** The closed banners, by run. */
  readonly dismissed: ReadonlySet<string>;
  readonly selected: string | null;
  /** The run that the selected one is compared with. */
  readonly compared: string | null;
  /** The names and stars changed here, by run, including runs that are not listed. */
  readonly labels: ReadonlyMap<string, RunLabel>;
  /** The run whose name is being edited. */
  readonly naming: string | null;
  /** Lists the runs of another place. */
  setWhere(where: string | null): void;
  setTab(tab: "runs" | "batches"): void;
  /** Selects a run in its own place. */
  showRun(runId: string): void;
  setFilter(change: Partial<Filter>): void;
  select(runId: string | null): void;
  compare(runId: string | null): void;
  swap(): void;
  dismiss(runId: string): void;
  /** Changes the displayed name or star of a run. */
  relabel(runId: string, label: RunLabel): void;
  setNaming(runId: string | null): void;
  /** Reads everything again and keeps the selection if it still exists. */
  reload(): Promise<void>;
  /** Polls the first page, since other programs write to the same store, and applies changes. */
  look(): Promise<void>;
  /** Reads a page unless it is loaded or being loaded. */
  loadPage(page: number): void;
};

/** A number that identifies the current request. Results requested before a change of filter are ignored. */
let turn = 0;
let asked = new Set<number>();
/**
 * The time from which "the last seven days" counts. It is fixed with the filter, so that pages do not shift
 * against each other.
 */
let filteredAt = Date.now();
/** The running poll. A store that does not answer is not polled again before the request has failed. */
let looking: symbol | null = null;

/** The state of a place before it is read. */
const UNREAD = {
  pages: new Map(),
  tally: null,
  failure: null,
  flows: [],
  info: null,
  interrupted: [],
  selected: null,
  compared: null,
} satisfies Partial<HistoryState>;

export const useHistory = create<HistoryState>()((set, get) => ({
  where: null,
  tab: "runs",
  filter: NO_FILTER,
  ...UNREAD,
  dismissed: new Set(),
  labels: new Map(),
  naming: null,

  setWhere(where) {
    if (where === get().where) return;
    // A workflow or batch of one place need not exist in another.
    const filter = { ...get().filter, flow: null, batch: null };
    // A poll of the previous place is no longer needed.
    looking = null;
    set({ where, tab: where === null ? "runs" : get().tab, filter, ...UNREAD });
    void get().reload();
  },
  setTab(tab) {
    set({ tab });
    if (tab === "runs") void get().reload();
  },
  showRun(runId) {
    get().setWhere(sessionOf(runId).store);
    set({ tab: "runs" });
    get().select(runId);
  },
  setFilter(change) {
    set({ filter: { ...get().filter, ...change } });
    void readFirst(isFiltered(get().filter));
  },
  select: (selected) => set((s) => ({ selected, compared: s.compared === selected ? null : s.compared })),
  compare: (compared) => set({ compared }),
  swap: () => set((s) => (s.compared === null ? s : { selected: s.compared, compared: s.selected })),
  dismiss: (runId) => set((s) => ({ dismissed: new Set(s.dismissed).add(runId) })),
  relabel(runId, label) {
    const named = (run: RunSummary) => (run.runId === runId ? { ...run, ...label } : run);
    set((s) => ({
      labels: new Map(s.labels).set(runId, label),
      pages: new Map([...s.pages].map(([page, runs]) => [page, runs.map(named)])),
    }));
  },
  setNaming: (naming) => set({ naming }),

  async reload() {
    const { where } = get();
    const around = Promise.all([
      api().runFlows(where),
      api().storeInfo(where),
      // A shared store's interrupted runs belong to everyone. They are listed, but not offered.
      where === null
        ? api().findRuns({ ...toQuery(NO_FILTER, 0, 0, 20), statuses: ["interrupted"] }, null)
        : { runs: [] },
    ]).then(
      ([flows, info, interrupted]) =>
        where === get().where && set({ flows, info, interrupted: interrupted.runs }),
    );
    await Promise.all([readFirst(), around]).catch(
      (error: unknown) => where === get().where && set({ failure: asFailure(error) }),
    );
  },

  async look() {
    if (looking !== null) return;
    const mine = turn;
    const { where } = get();
    const before = get().pages.get(0) ?? [];
    const own = Symbol();
    looking = own;
    const found = await api()
      .findRuns(toQuery(get().filter, filteredAt, 0, PAGE), where)
      .catch((error: unknown) => {
        // A failed poll is repeated soon. For this computer, a failure is reported only on request. For a
        // store it is reported at once, since the list may be outdated.
        if (where !== null && mine === turn) set({ failure: asFailure(error) });
        return null;
      })
      .finally(() => {
        if (looking === own) looking = null;
      });
    if (found === null || mine !== turn) return;
    const { tally } = found;
    const runs = underParents(found.runs);
    settleRequests(runs);
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
      .findRuns(toQuery(get().filter, filteredAt, page * PAGE, PAGE), get().where)
      .then(
        ({ runs }) =>
          mine === turn && set((s) => ({ pages: new Map(s.pages).set(page, underParents(runs)) })),
        (error) => mine === turn && set({ failure: asFailure(error) }),
      )
      .finally(() => mine === turn && asked.delete(page));
  },
}));

/**
 * Reads the list again from the top. The old content stays until the result arrives. `among` means the
 * selected run must be one of the results.
 */
async function readFirst(among = false): Promise<void> {
  turn += 1;
  const mine = turn;
  asked = new Set();
  filteredAt = Date.now();
  try {
    const { filter, where } = useHistory.getState();
    const { runs: found, tally } = await api().findRuns(toQuery(filter, filteredAt, 0, PAGE), where);
    if (mine !== turn) return;
    const runs = underParents(found);
    settleRequests(runs);
    useHistory.setState((s) => ({
      pages: new Map([[0, unchanged(s.pages.get(0), runs)]]),
      tally,
      failure: null,
      selected:
        (!among || runs.some((run) => run.runId === s.selected) ? s.selected : null) ??
        found[0]?.runId ??
        null,
    }));
  } catch (error) {
    if (mine === turn) useHistory.setState({ failure: asFailure(error) });
  }
}

/** Settles requests to listed runs by their status, except for watched runs, whose events tell more. */
function settleRequests(runs: readonly RunSummary[]): void {
  const { byRun, settle } = useRequests.getState();
  if (Object.keys(byRun).length === 0) return;
  for (const { runId, status } of runs) {
    if (!isWatched(runId)) settle(runId, { status, seq: null, waiting: null });
  }
}

// A removed store is no longer a place.
useStores.subscribe(({ stores }) => {
  const { where, setWhere } = useHistory.getState();
  if (where !== null && !stores.some((store) => store.name === where)) setWhere(null);
});

/**
 * Returns the previous page if nothing in it changed, otherwise a page that reuses unchanged rows, which then
 * do not re-render.
 */
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

/** Returns the run below another in the list, or the one above it if it is the last. */
export function neighbourOf(pages: ReadonlyMap<number, readonly RunSummary[]>, runId: string): string | null {
  const at = indexOf(pages, runId);
  return at < 0 ? null : ((rowAt(pages, at + 1) ?? rowAt(pages, at - 1))?.runId ?? null);
}

/** Returns the newest known label of a run: from the list, from a change made here, or from its detail. */
export const useLabel = ({ runId, name, starred }: RunSummary): RunLabel => {
  const row = useHistory((s) => rowAt(s.pages, indexOf(s.pages, runId)));
  const changed = useHistory((s) => s.labels.get(runId));
  return row ?? changed ?? { name, starred };
};

/** Returns the index of a loaded run in the list, or −1. */
export function indexOf(pages: ReadonlyMap<number, readonly RunSummary[]>, runId: string | null): number {
  for (const [page, runs] of pages) {
    const at = runs.findIndex((run) => run.runId === runId);
    if (at >= 0) return page * PAGE + at;
  }
  return -1;
}
