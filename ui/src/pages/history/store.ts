// The history as the page knows it: what is filtered for, the pages of runs that were read, and what is chosen. Runs
// come from the store a page at a time, so that ten thousand open as fast as ten.
import { create } from "zustand";
import { type ApiFailure, api, asFailure } from "../../ipc/client";
import type { FlowRuns, RunSummary, RunTally, StoreInfo } from "../../ipc/generated/bindings";
import { useRequests } from "../../runs/session/requests";
import { sessionOf } from "../../runs/session/store";
import { useStores } from "../../runs/session/stores";
import { isWatched } from "../../runs/session/watching";
import { type Filter, isFiltered, NO_FILTER, toQuery } from "./filter";
import { underParents } from "./forks";

/** Runs that are asked for at a time. */
export const PAGE = 100;

/** What a person marked a run with, to find it again. */
export type RunLabel = Pick<RunSummary, "name" | "starred">;

type HistoryState = {
  /** The shared store whose runs are listed; null: this computer. */
  readonly where: string | null;
  /** What of a store is shown. */
  readonly tab: "runs" | "batches";
  readonly filter: Filter;
  /** Pages of runs by number, from 0; those that nobody has scrolled to are missing. */
  readonly pages: ReadonlyMap<number, readonly RunSummary[]>;
  /** What all runs that fit come to; null until the first answer. */
  readonly tally: RunTally | null;
  readonly failure: ApiFailure | null;
  readonly flows: readonly FlowRuns[];
  readonly info: StoreInfo | null;
  /** Runs that were cut off and can be resumed, newest first. */
  readonly interrupted: readonly RunSummary[];
  /** Banners that somebody closed, by run. */
  readonly dismissed: ReadonlySet<string>;
  readonly selected: string | null;
  /** The run that the selected one is compared with. */
  readonly compared: string | null;
  /** Names and stars that were changed here, by run: also of runs that the list does not show. */
  readonly labels: ReadonlyMap<string, RunLabel>;
  /** The run that is just being named. */
  readonly naming: string | null;
  /** Lists the runs of another place. */
  setWhere(where: string | null): void;
  setTab(tab: "runs" | "batches"): void;
  /** Chooses a run, in the place that it is in. */
  showRun(runId: string): void;
  setFilter(change: Partial<Filter>): void;
  select(runId: string | null): void;
  compare(runId: string | null): void;
  swap(): void;
  dismiss(runId: string): void;
  /** Shows another name or star of a run. */
  relabel(runId: string, label: RunLabel): void;
  setNaming(runId: string | null): void;
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
/** The look that is under way: a store that does not answer is not asked again before it has failed. */
let looking: symbol | null = null;

/** What is known of a place before it is read. */
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
    // A workflow of one place need not have runs in another, nor has a batch.
    const filter = { ...get().filter, flow: null, batch: null };
    // Nobody waits for the place before.
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
      // Those of a shared store are everybody's: the list has them, and nobody is asked about them.
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
        // What cannot be read now is asked for again soon. Of this computer it is said when somebody asks, and of a
        // store at once: what is listed may be old.
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
 * Reads the list again from its top, and keeps what is shown until the answer is there. `among`: what is shown is to be one
 * of those that were found.
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

/** What was asked of listed runs is settled by their status, but where they are shown: events say more. */
function settleRequests(runs: readonly RunSummary[]): void {
  const { byRun, settle } = useRequests.getState();
  if (Object.keys(byRun).length === 0) return;
  for (const { runId, status } of runs) {
    if (!isWatched(runId)) settle(runId, { status, seq: null, waiting: null });
  }
}

// A store whose name was removed is no place any more.
useStores.subscribe(({ stores }) => {
  const { where, setWhere } = useHistory.getState();
  if (where !== null && !stores.some((store) => store.name === where)) setWhere(null);
});

/** The page as it was where nothing of it changed, else with the rows that did not: these are not drawn again. */
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

/** The label of a run as it was last heard of: in the list, from a change made here, or with its detail. */
export const useLabel = ({ runId, name, starred }: RunSummary): RunLabel => {
  const row = useHistory((s) => rowAt(s.pages, indexOf(s.pages, runId)));
  const changed = useHistory((s) => s.labels.get(runId));
  return row ?? changed ?? { name, starred };
};

/** A run among those that were read; its place in the list, or −1. */
export function indexOf(pages: ReadonlyMap<number, readonly RunSummary[]>, runId: string | null): number {
  for (const [page, runs] of pages) {
    const at = runs.findIndex((run) => run.runId === runId);
    if (at >= 0) return page * PAGE + at;
  }
  return -1;
}
