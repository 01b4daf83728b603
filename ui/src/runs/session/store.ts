// The runs known to the window: the live one and a reopened past one. The same reducer folds both.
import { create } from "zustand";
import { useDocument } from "../../document/document";
import { api, errorMessage } from "../../ipc/client";
import type { FlowDoc, RunBudget, RunEvent } from "../../ipc/generated/bindings";
import { type TimelineLoop, useChosenIteration } from "../../session/chosen-iteration";
import { useSession } from "../../session/session";
import type { RunState, RunView } from "../fold/model";
import { graftEvents, outerLoops, readRun, unreadAround } from "../fold/past";
import { pruneRun } from "../fold/prune";
import { emptyRun, foldEvents } from "../fold/reduce";
import { isOver, isUnfinishedStatus } from "../fold/status";
import { type Choice, shownIteration } from "../view/view";
import { startPrepared } from "./here";
import type { PreparedRun } from "./prepare";
import { knownOf, useRequests } from "./requests";
import type { Begin, RunSession } from "./run-session";
import { sessionFor } from "./session-for";
import { channelTo, heldChannel, type RunSink, unseen } from "./sink";
import { endUnshown, isWatched } from "./watching";

/** The runs of one tab of the window. */
export type TabRuns = {
  /** The most recently started run, which stays here after it ends. */
  readonly live: RunView | null;
  /** A run opened from the history. It is shown in front of the live one until it is closed. */
  readonly past: RunView | null;
  readonly starting: boolean;
  readonly stopping: boolean;
  /** Whether a request to pause or continue is not confirmed yet. */
  readonly pausing: boolean;
};

export const NO_RUNS: TabRuns = {
  live: null,
  past: null,
  starting: false,
  stopping: false,
  pausing: false,
};

type RunsState = TabRuns & {
  /**
   * The runs of tabs in the background, keyed by tab. These runs continue, and their events are folded here.
   */
  readonly background: { readonly [tab: string]: TabRuns };
  /** Stores the active tab's runs under a tab that becomes inactive. */
  deactivate(tab: string): void;
  /** Restores a tab's runs as the active ones. */
  activate(tab: string): void;
  /** Removes the runs of an inactive tab. The runs themselves continue. */
  forget(tab: string): void;
  /** Starts a prepared run. Rejects with the engine's reason when it is refused. */
  start(prepared: Pick<PreparedRun, "id" | "document" | "flowPath">): Promise<string>;
  /**
   * Starts a run of the open document with the function `begin`: a fork, for example. Otherwise behaves like
   * `start`.
   */
  startAs(document: FlowDoc, flowPath: string | null, begin: Begin): Promise<string>;
  /**
   * Shows a run of another document (a fork, or a past run started again) as it happens, read-only and in
   * front of the open document.
   */
  begin(flowPath: string | null, begin: Begin): Promise<string>;
  /** Stops the shown run. Finished steps are kept. */
  stop(): Promise<void>;
  /** Lets running steps of the shown run finish and starts no new ones. */
  pause(): Promise<void>;
  /** Withdraws a request to pause the shown run, so that the run continues. */
  resumeLive(): Promise<void>;
  /**
   * Resumes a run that was interrupted or paused, or continues one stopped at its budget with a larger one.
   * Recorded calls are not repeated.
   */
  resume(runId: string, budget?: RunBudget | null): Promise<void>;
  open(runId: string): Promise<void>;
  /**
   * Shows a run started here as the live one again and follows it. Used when the page that started the run is
   * gone.
   */
  rejoin(runId: string): Promise<void>;
  closePast(): void;
};

/**
 * The number of runs started here. Each run is numbered with it, so that events of an earlier run are not
 * added to a newer one.
 */
let turns = 0;

export const useRuns = create<RunsState>()((set, get) => ({
  ...NO_RUNS,
  background: {},

  deactivate(tab) {
    const { live, past, starting, stopping, pausing } = get();
    set((s) => ({
      ...NO_RUNS,
      background: { ...s.background, [tab]: { live, past, starting, stopping, pausing } },
    }));
  },

  activate(tab) {
    const { [tab]: runs = NO_RUNS, ...background } = get().background;
    set({ ...runs, background });
  },

  forget(tab) {
    const { [tab]: _, ...background } = get().background;
    set({ background });
  },

  start: ({ id, document, flowPath }) => get().startAs(document, flowPath, startPrepared(id)),

  async startAs(document, flowPath, begin) {
    get().closePast();
    const before = get().live;
    useChosenIteration.getState().reset();
    turns += 1;
    const turn = turns;
    const view: RunView = { state: emptyRun("", document.name), document, flowPath, live: true, turn };
    set({ live: view, past: null, starting: true, stopping: false, pausing: false });
    const isOwn = (one: RunView) => one.turn === turn;
    const updateOwn = (change: (live: RunView) => Partial<TabRuns>) =>
      set((s) => updateAll(s, ({ live }) => (live !== null && isOwn(live) ? change(live) : {})));
    try {
      const runId = await begin(channelTo(sinkOf(isOwn)));
      updateOwn((live) => ({
        starting: false,
        live: live.state.runId === "" ? { ...live, state: { ...live.state, runId } } : live,
      }));
      return runId;
    } catch (error) {
      updateOwn(() => ({ live: before, starting: false }));
      throw error;
    }
  },

  async begin(flowPath, begin) {
    set({ starting: true });
    try {
      const channel = heldChannel();
      const runId = await begin(channel.push);
      const { document } = await api().runDetail(runId);
      useChosenIteration.getState().reset();
      const early = channel.open(sinkOfRun(runId));
      const state = foldEvents(emptyRun(runId, document.name), early);
      set({ past: { state, document, flowPath, live: true } });
      useDocument.getState().showReadOnly(document);
      sessionOf(runId).follow(true);
      return runId;
    } finally {
      set({ starting: false });
    }
  },

  async stop() {
    const view = shownRun(get());
    if (view?.state.runId && isUnfinished(view)) await sessionOf(view.state.runId).stop(view.state.status);
  },

  async pause() {
    const { runId, status } = shownRun(get())?.state ?? {};
    if (runId && status === "running") await sessionOf(runId).pause();
  },

  async resumeLive() {
    const runId = shownRun(get())?.state.runId;
    if (runId) await sessionOf(runId).unpause();
  },

  async resume(runId, budget = null) {
    await get().open(runId);
    if (shownRun(get())?.state.runId === runId) await sessionOf(runId).resume(budget);
  },

  async open(runId) {
    const { live, past } = get();
    if (live?.state.runId === runId) {
      get().closePast();
      return;
    }
    const session = sessionOf(runId);
    // A live view is already up to date.
    if (session.opensLive && past?.live && past.state.runId === runId) return;
    const view = await readView(runId, session);
    useChosenIteration.getState().reset();
    set({ past: view });
    useDocument.getState().showReadOnly(view.document);
    if (!isOver(view.state.status)) session.follow();
  },

  async rejoin(runId) {
    const session = sessionOf(runId);
    const view = await readView(runId, session);
    turns += 1;
    set({ live: { ...view, live: true, turn: turns }, past: null });
    if (!isOver(view.state.status)) session.follow();
  },

  closePast() {
    if (get().past === null) return;
    useChosenIteration.getState().reset();
    set({ past: null });
    useDocument.getState().backToEditing();
  },
}));

/** Returns a run with new events applied. Older iterations keep only their results. */
function applyEvents(state: RunState, events: readonly RunEvent[]): RunState {
  const { chosen, timelineLoop } = useChosenIteration.getState();
  return pruneRun(foldEvents(state, events), chosen, timelineLoop);
}

/** Changes the runs of all tabs. Runs that `change` returns unchanged keep their identity. */
function updateAll(
  s: TabRuns & Pick<RunsState, "background">,
  change: (runs: TabRuns) => Partial<TabRuns>,
): Partial<RunsState> {
  let background = s.background;
  for (const [tab, runs] of Object.entries(s.background)) {
    const changed = change(runs);
    if (Object.keys(changed).length > 0) background = { ...background, [tab]: { ...runs, ...changed } };
  }
  return background === s.background ? change(s) : { ...change(s), background };
}

type IsOf = (view: RunView) => boolean;

/** Changes every view of a run. */
function updateViews(
  s: RunsState,
  isOf: IsOf,
  change: (view: RunView) => Partial<RunView>,
): Partial<RunsState> {
  const apply = (view: RunView | null) => (view && isOf(view) ? { ...view, ...change(view) } : view);
  return updateAll(s, ({ live, past }) =>
    (live && isOf(live)) || (past && isOf(past)) ? { live: apply(live), past: apply(past) } : {},
  );
}

/** Returns a view of the matching run in any tab; null if no tab shows it. */
function viewOf(s: RunsState, isOf: IsOf): RunView | null {
  for (const { live, past } of [s, ...Object.values(s.background)]) {
    const view = [past, live].find((one) => one !== null && isOf(one));
    if (view) return view;
  }
  return null;
}

/** Returns the sink for the events of the matching run, on whichever computer it executes. */
function sinkOf(isOf: IsOf): RunSink {
  const isInFront = (runs: TabRuns) => {
    const view = shownRun(runs);
    return view !== null && isOf(view);
  };
  const change: RunSink["change"] = (how) => useRuns.setState((s) => updateViews(s, isOf, how));
  return {
    view: () => viewOf(useRuns.getState(), isOf),
    isInFront: () => isInFront(useRuns.getState()),
    change,
    add: (events) =>
      change(({ state }) => ({
        state: applyEvents(state, isWatched(state.runId) ? unseen(state, events) : events),
      })),
    mark: (busy) => useRuns.setState((s) => updateAll(s, (runs) => (isInFront(runs) ? busy : {}))),
  };
}

const sinkOfRun = (runId: string): RunSink => sinkOf(({ state }) => state.runId === runId);

/** Returns the session that controls a run. */
export const sessionOf = (runId: string): RunSession => sessionFor(runId, sinkOfRun(runId));

async function readView(runId: string, { opensLive }: RunSession): Promise<RunView> {
  const { detail, state } = await readRun(runId);
  return {
    state: {
      ...state,
      // No event contains the usage of calls that were cut off when their program ended.
      usage: state.status === "interrupted" ? detail.summary.usage : state.usage,
      budget: state.budget ?? detail.budget ?? null,
    },
    document: detail.document,
    flowPath: detail.summary.flowPath,
    live: opensLive && !isOver(state.status),
  };
}

/**
 * Returns the shown run: the reopened one, otherwise the most recently started one; null if there is none.
 */
export function shownRun(s: Pick<RunsState, "live" | "past">): RunView | null {
  return s.past ?? s.live;
}

/**
 * Returns whether the run has neither ended nor been interrupted. It may be unfinished even if its tab is
 * closed or another program executes it.
 */
export function isUnfinished(view: RunView | null): boolean {
  return view !== null && isUnfinishedStatus(view.state.status);
}

/** The iterations whose contents are being read, so that none is requested twice. */
const reading = new Set<string>();

/**
 * Reads those contents of a long run that are not loaded: the shown iterations, and their neighbours in the
 * loop that the timeline shows.
 */
function readShown(view: RunView | null, choice: Choice, timelineLoop: TimelineLoop | null = null): void {
  if (view === null) return;
  const { runId } = view.state;
  for (const loop of outerLoops(view.state)) {
    const shown = shownIteration(loop, choice);
    if (shown === null) continue;
    const isInTimeline = timelineLoop?.runId === runId && timelineLoop.path === loop.path;
    for (const [first, count] of unreadAround(loop, shown.number, isInTimeline)) {
      const key = `${runId}|${loop.path}|${first}|${count}`;
      if (reading.has(key)) continue;
      reading.add(key);
      api()
        .iterationEvents(runId, loop.path, first, count)
        .then(
          (events) =>
            sinkOfRun(runId).change(({ state }) => ({ state: graftEvents(state, loop.path, events) })),
          (error: unknown) =>
            useSession.getState().toast({
              tone: "error",
              title: `Iteration ${shown.number} could not be read`,
              detail: errorMessage(error),
            }),
        )
        .finally(() => reading.delete(key));
    }
  }
}

// A new state of a run may settle the requests to that run.
useRuns.subscribe((s) => {
  const { byRun, settle } = useRequests.getState();
  for (const runId of Object.keys(byRun)) {
    const view = viewOf(s, ({ state }) => state.runId === runId);
    if (view !== null) settle(runId, knownOf(view.state));
  }
});

// The channel of a live run ends when the run is suspended. Then someone may continue it elsewhere: another
// program, the command line, or this program when a question expires.
useRuns.subscribe((s) => {
  for (const { live, past } of [s, ...Object.values(s.background)]) {
    for (const view of [live, past]) {
      const { runId, status } = view?.state ?? { runId: "", status: null };
      if (runId !== "" && (status === "waiting" || status === "paused") && !isWatched(runId))
        sessionOf(runId).follow();
    }
  }
});

// A run that is no longer shown is no longer followed.
useRuns.subscribe(endUnshown);

useRuns.subscribe((s, before) => {
  if (s.past !== before.past) readShown(s.past, useChosenIteration.getState().chosen);
});
// In a running run, only chosen iterations and a newly opened timeline loop can be missing.
useChosenIteration.subscribe((s, before) => {
  if (s.chosen === before.chosen && s.timelineLoop === before.timelineLoop) return;
  readShown(
    shownRun(useRuns.getState()),
    s.chosen,
    s.timelineLoop === before.timelineLoop ? null : s.timelineLoop,
  );
});

// When another document is opened, the previous runs are removed, since the canvas does not show their nodes.
// A read-only document opens and closes together with its past run, which stays.
useDocument.subscribe((s, before) => {
  if (s.generation === before.generation || s.suspended !== null) return;
  if (before.suspended !== null && s.root === before.suspended.root) useRuns.getState().closePast();
  else useRuns.setState({ live: null, past: null });
});

// Returning to the editor closes the reopened run and shows the open document.
useSession.subscribe((s, before) => {
  if (s.layout !== before.layout && s.layout === "edit") useRuns.getState().closePast();
});
