// The state of the history page: the filter, the loaded pages of runs, and the selection. Runs are loaded in
// pages, so that a history of ten thousand runs opens as fast as one of ten.
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

/** The labels that the user gives a run to find it again. */
export type RunLabel = Pick<RunSummary, "name" | "starred">;

/** Runs are shown for every store, batches for shared stores, and schedules for this computer. */
export type HistoryTab = "runs" | "batches" | "schedules";

type HistoryState = {
  /** The shared store whose runs are listed; null for this computer. */
  readonly where: string | null;
  /** The shown part of a store. */
  readonly tab: HistoryTab;
  readonly filter: Filter;
  /** The loaded pages of runs, keyed by their number, which starts at 0. */
  readonly pages: ReadonlyMap<number, readonly RunSummary[]>;
  /** The totals of all matching runs; null until the first result. */
  readonly tally: RunTally | null;
  readonly failure: ApiFailure | null;
  readonly flows: readonly FlowRuns[];
  readonly info: StoreInfo | null;
  /** The interrupted runs that can be resumed, newest first. */
  readonly interrupted: readonly RunSummary[];
  /** The ids of the runs whose banner was closed. */
  readonly dismissed: ReadonlySet<string>;
  readonly selected: string | null;
  /** The run that the selected one is compared with; null if it is not compared. */
  readonly compared: string | null;
  /**
   * The names and stars that were changed in this window, keyed by run. They include runs that are not
   * listed.
   */
  readonly labels: ReadonlyMap<string, RunLabel>;
  /** The run whose name is being edited; null if no name is. */
  readonly naming: string | null;
  /** Lists the runs of another store. */
  setWhere(where: string | null): void;
  setTab(tab: HistoryTab): void;
  /** Selects a run and lists the runs of its store. */
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
  /** Reads the first page again and applies the changes, since other programs write to the same store. */
  look(): Promise<void>;
  /** Reads a page unless it is loaded or being loaded. */
  loadPage(page: number): void;
};

/** The number of the newest request. Results of requests made before the filter changed are ignored. */
let turn = 0;
let asked = new Set<number>();
/**
 * The time to which filters such as "the last seven days" refer. It changes only with the filter, so that all
 * pages refer to the same time.
 */
let filteredAt = Date.now();
/**
 * Identifies the poll that is in progress; null between polls. If a store does not answer, it is polled again
 * only after that request has failed.
 */
let looking: symbol | null = null;

/** The state of a store that has not been read yet. */
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
    // A workflow or batch of one place may not exist in another, so these filters are removed.
    const filter = { ...get().filter, flow: null, batch: null };
    // The poll of the previous place is abandoned.
    looking = null;
    const tab = where !== null && get().tab === "batches" ? "batches" : "runs";
    set({ where, tab, filter, ...UNREAD });
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
      // The interrupted runs of a shared store belong to all of its users. They are listed, but resuming them
      // is not offered.
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
        // The next poll repeats a failed one. On this computer, a failure is therefore reported only if the
        // user asked for the list. A failure of a store is reported immediately, since the shown list may be
        // outdated.
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
 * Reads the list again from the top. The old list stays until the result arrives. If the selected run is not
 * among the results, it stays selected, unless `among` is set: then the first run is selected.
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

/**
 * Ends the pending requests to listed runs according to their new status. Watched runs are left out, since
 * their events are a more precise source.
 */
function settleRequests(runs: readonly RunSummary[]): void {
  const { byRun, settle } = useRequests.getState();
  if (Object.keys(byRun).length === 0) return;
  for (const { runId, status } of runs) {
    if (!isWatched(runId)) settle(runId, { status, seq: null, waiting: null });
  }
}

// When the shown store is removed, the list returns to this computer.
useStores.subscribe(({ stores }) => {
  const { where, setWhere } = useHistory.getState();
  if (where !== null && !stores.some((store) => store.name === where)) setWhere(null);
});

/**
 * Returns the previous page if nothing in it changed. Otherwise returns a page that contains the previous
 * objects of unchanged runs, whose rows then do not re-render.
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

/**
 * Returns the id of the run below this one in the list, or the one above if there is none below. Null if
 * neither is loaded.
 */
export function neighbourOf(pages: ReadonlyMap<number, readonly RunSummary[]>, runId: string): string | null {
  const at = indexOf(pages, runId);
  return at < 0 ? null : ((rowAt(pages, at + 1) ?? rowAt(pages, at - 1))?.runId ?? null);
}

/**
 * Returns the newest known label of a run: from the list if the run is loaded there, otherwise as changed in
 * this window, otherwise from the summary passed in.
 */
export const useLabel = ({ runId, name, starred }: RunSummary): RunLabel => {
  const row = useHistory((s) => rowAt(s.pages, indexOf(s.pages, runId)));
  const changed = useHistory((s) => s.labels.get(runId));
  return row ?? changed ?? { name, starred };
};

/** Returns the index of a run in the list, or −1 if the run is not loaded. */
export function indexOf(pages: ReadonlyMap<number, readonly RunSummary[]>, runId: string | null): number {
  for (const [page, runs] of pages) {
    const at = runs.findIndex((run) => run.runId === runId);
    if (at >= 0) return page * PAGE + at;
  }
  return -1;
}
