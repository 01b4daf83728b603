// The runs the window knows: the live one and a past one that was opened. Both are folded by the same reducer.
import { create } from "zustand";
import { useDocument } from "../document/document";
import { api, errorMessage } from "../ipc/client";
import type { FlowDoc, RunBudget, RunEvent, StepAnswer } from "../ipc/generated/bindings";
import { titleIn } from "../kernels/node-title";
import { type TimelineLoop, useChosenIteration } from "../session/chosen-iteration";
import { useSession } from "../session/session";
import { withTrust } from "../trust/store";
import { tellAnswered } from "./answered";
import { frames } from "./frames";
import type { RunState } from "./model";
import { graftEvents, outerLoops, readRun, unreadAround } from "./past";
import { isOver, storeOf } from "./place";
import type { PreparedRun } from "./prepare";
import { pruneRun } from "./prune";
import { emptyRun, endedAs, foldAll, foldEvents, isUnrecorded } from "./reduce";
import { knownOf, type RequestKind, type RunRequest, useRequests } from "./requests";
import { type Choice, shownIteration } from "./view";
import { channelTo, endUnshown, isWatched, lookAgain, type Shown, watchRun } from "./watching";

export type RunView = {
  readonly state: RunState;
  /** The document as it was when the run started: what the canvas shows for a past run. */
  readonly document: FlowDoc;
  readonly flowPath: string | null;
  /** Whether its events come as they happen. */
  readonly live: boolean;
  /** Tells the runs that were started here apart, before they have an id. */
  readonly turn?: number;
};

/** The runs of one tab of the window. */
export type TabRuns = {
  /** The run started last; it stays here after its end. */
  readonly live: RunView | null;
  /** A run reopened from the history, in front of the live one until it is closed. */
  readonly past: RunView | null;
  readonly starting: boolean;
  readonly stopping: boolean;
  /** Asked to pause or to continue, and not confirmed yet. */
  readonly holding: boolean;
};

export const NO_RUNS: TabRuns = {
  live: null,
  past: null,
  starting: false,
  stopping: false,
  holding: false,
};

/** Asks for a run whose events come through `onEvent`; gives its id. */
type Begin = (onEvent: (event: RunEvent) => void) => Promise<string>;

type RunsState = TabRuns & {
  /** Those of the tabs in the background, by tab; they continue, and their events are folded here. */
  readonly away: { readonly [tab: string]: TabRuns };
  /** Keeps the runs of the active tab as those of a tab that becomes inactive. */
  deactivate(tab: string): void;
  /** Brings a tab's runs to the front again. */
  activate(tab: string): void;
  /** Forgets the runs of an inactive tab; the runs themselves continue. */
  forget(tab: string): void;
  /** Starts a prepared run. Rejects with the engine's reason when it is refused. */
  start(prepared: Pick<PreparedRun, "id" | "document" | "flowPath">): Promise<string>;
  /** The same for a run of the document that is begun in another way: by a fork of an earlier one. */
  startAs(document: FlowDoc, flowPath: string | null, ask: Begin): Promise<string>;
  /**
   * Shows a run of another document than the one in hand (a fork, a past run made again) in front, read only, as it goes.
   * The one in hand stays behind it.
   */
  begin(flowPath: string | null, ask: Begin): Promise<string>;
  /** Stops the shown run. */
  stop(): Promise<void>;
  /** Answers a step of the shown run that waits for a person, and continues the run. */
  answer(path: string, answer: StepAnswer): Promise<void>;
  /** Lets what is under way in the shown run end, and starts nothing more. */
  pause(): Promise<void>;
  /** Lets a paused run continue. */
  resumeLive(): Promise<void>;
  /**
   * Continues a run that was interrupted or paused, or one that was stopped at its budget and gets a larger one. What was
   * recorded is not asked for again.
   */
  resume(runId: string, budget?: RunBudget | null): Promise<void>;
  open(runId: string): Promise<void>;
  /** Shows a run that was started here as the live one again, and follows it: the page that started it is gone. */
  rejoin(runId: string): Promise<void>;
  closePast(): void;
};

/** Counts the runs started here: the events of an earlier one must not mix with those of a newer one. */
let turns = 0;

export const useRuns = create<RunsState>()((set, get) => ({
  ...NO_RUNS,
  away: {},

  deactivate(tab) {
    const { live, past, starting, stopping, holding } = get();
    set((s) => ({ ...NO_RUNS, away: { ...s.away, [tab]: { live, past, starting, stopping, holding } } }));
  },

  activate(tab) {
    const { [tab]: runs = NO_RUNS, ...away } = get().away;
    set({ ...runs, away });
    const { past } = runs;
    if (past?.live === false && past.state.status === "running" && storeOf(past.state.runId) === null)
      followPast(past.state.runId);
  },

  forget(tab) {
    const { [tab]: _, ...away } = get().away;
    set({ away });
  },

  start: ({ id, document, flowPath }) =>
    get().startAs(document, flowPath, (onEvent) => api().startRun(id, onEvent)),

  async startAs(document, flowPath, ask) {
    get().closePast();
    const before = get().live;
    useChosenIteration.getState().reset();
    turns += 1;
    const turn = turns;
    const view: RunView = { state: emptyRun("", document.name), document, flowPath, live: true, turn };
    set({ live: view, past: null, starting: true, stopping: false, holding: false });
    const mine = (change: (runs: TabRuns, live: RunView) => Partial<TabRuns>) =>
      set((s) => everywhere(s, (runs) => (runs.live?.turn === turn ? change(runs, runs.live) : {})));
    const sink = frames((events: readonly RunEvent[]) =>
      mine((_, live) => ({ live: { ...live, state: further(live.state, events) } })),
    );
    try {
      const runId = await ask((event) => sink.push(event));
      mine((_, live) => ({
        starting: false,
        live: live.state.runId === "" ? { ...live, state: { ...live.state, runId } } : live,
      }));
      return runId;
    } catch (error) {
      mine(() => ({ live: before, starting: false }));
      throw error;
    }
  },

  async begin(flowPath, ask) {
    set({ starting: true });
    try {
      const early: RunEvent[] = [];
      let shown = false;
      let runId = "";
      let toView: ((event: RunEvent) => void) | null = null;
      const sink = frames((events) => {
        if (!shown) early.push(...events);
        else if (toView === null) set((s) => inView(s, runId, (state) => further(state, events)));
        else for (const event of events) toView(event);
      });
      runId = await ask((event) => sink.push(event));
      const { document } = await api().runDetail(runId);
      useChosenIteration.getState().reset();
      shown = true;
      set({
        past: { state: foldEvents(emptyRun(runId, document.name), early), document, flowPath, live: true },
      });
      useDocument.getState().showReadOnly(document);
      if (storeOf(runId) !== null) {
        toView = channelTo(shownOf(runId));
        watchRun(runId, shownOf(runId), true);
      }
      return runId;
    } finally {
      set({ starting: false });
    }
  },

  async stop() {
    const view = shownRun(get());
    if (!isUnfinished(view) || view === null || view.state.runId === "") return;
    const { runId, status } = view.state;
    if (storeOf(runId) !== null) return request(view.state, "stop", () => api().stopRun(runId));
    set({ stopping: true });
    try {
      await api().stopRun(runId);
      // A suspended run sends no event when it is stopped.
      if (status === "waiting" || status === "paused")
        set((s) => inView(s, runId, (state) => endedAs(state, "cancelled")));
    } finally {
      set((s) => everywhere(s, (runs) => (shownRun(runs)?.state.runId === runId ? { stopping: false } : {})));
    }
  },

  async answer(path, answer) {
    const view = shownRun(get());
    if (!view?.state.runId) return;
    const { runId } = view.state;
    if (storeOf(runId) !== null) return answerInStore(view.state, path, answer);
    const sink = frames(ofAll(runId));
    await withTrust(view, () => api().answerRun(runId, path, answer, (event) => sink.push(event)));
    set((s) => ({ past: s.past?.state.runId === runId ? { ...s.past, live: true } : s.past }));
  },

  async pause() {
    const view = shownRun(get());
    if (view?.state.status !== "running") return;
    const { runId } = view.state;
    if (storeOf(runId) !== null) return request(view.state, "pause", () => api().pauseRun(runId));
    set({ holding: true });
    try {
      await api().pauseRun(runId);
    } finally {
      set({ holding: false });
    }
  },

  async resumeLive() {
    const view = shownRun(get());
    if (!view?.state.runId) return;
    const { runId } = view.state;
    if (storeOf(runId) !== null) return get().resume(runId);
    set({ holding: true });
    try {
      const sink = frames(ofAll(runId));
      await withTrust(view, () => api().continueRun(runId, (event) => sink.push(event)));
    } finally {
      set({ holding: false });
    }
  },

  async resume(runId, budget = null) {
    await get().open(runId);
    if (storeOf(runId) !== null) {
      const { state } = shownRun(get()) ?? {};
      if (state?.runId !== runId) return;
      return request(state, "resume", () => api().resumeRun(runId, budget, ignore));
    }
    let shown = false;
    const early: RunEvent[] = [];
    const sink = frames((events) => {
      if (!shown) early.push(...events);
      else set((s) => inView(s, runId, (state) => further(state, unseen(state, events))));
    });
    const resume = () => api().resumeRun(runId, budget, (event) => sink.push(event));
    const opened = shownRun(get());
    await (opened === null ? resume() : withTrust(opened, resume));
    // As it stands once it continues: what a stop at the budget wrote does not count any more.
    const [detail, events] = await Promise.all([api().runDetail(runId), api().runEvents(runId)]);
    const state = foldAll(runId, events);
    const view = { document: detail.document, state: foldEvents(state, unseen(state, early)), live: true };
    shown = true;
    const put = (old: RunView | null) => (old?.state.runId === runId ? { ...old, ...view } : old);
    set((s) => everywhere(s, ({ live, past }) => ({ live: put(live), past: put(past) })));
  },

  async open(runId) {
    const live = get().live;
    if (live?.state.runId === runId) {
      get().closePast();
      return;
    }
    // What is watched already is as new as it can be.
    if (storeOf(runId) !== null && get().past?.live && get().past?.state.runId === runId) return;
    const view = await readView(runId);
    useChosenIteration.getState().reset();
    set({ past: view });
    useDocument.getState().showReadOnly(view.document);
    if (storeOf(runId) !== null) watchRun(runId, shownOf(runId));
    else if (view.state.status === "running") followPast(runId);
  },

  async rejoin(runId) {
    const view = await readView(runId);
    turns += 1;
    set({ live: { ...view, live: true, turn: turns }, past: null });
    if (!isOver(view.state.status)) watchRun(runId, shownOf(runId));
  },

  closePast() {
    if (get().past === null) return;
    useChosenIteration.getState().reset();
    set({ past: null });
    useDocument.getState().backToEditing();
  },
}));

/** A run with what it said since; of what lies far behind only the results stay. */
function further(state: RunState, events: readonly RunEvent[]): RunState {
  const { chosen, timelineLoop } = useChosenIteration.getState();
  return pruneRun(foldEvents(state, events), chosen, timelineLoop);
}

/** Changes the runs of the active tab and of the inactive tabs; what does not change stays the same object. */
function everywhere(
  s: TabRuns & Pick<RunsState, "away">,
  change: (runs: TabRuns) => Partial<TabRuns>,
): Partial<RunsState> {
  let away = s.away;
  for (const [tab, runs] of Object.entries(s.away)) {
    const changed = change(runs);
    if (Object.keys(changed).length > 0) away = { ...away, [tab]: { ...runs, ...changed } };
  }
  return away === s.away ? change(s) : { ...change(s), away };
}

/** Changes the state of a run wherever it is shown. */
function inView(s: RunsState, runId: string, change: (state: RunState) => RunState): Partial<RunsState> {
  const apply = (view: RunView | null) =>
    view?.state.runId === runId ? { ...view, state: change(view.state) } : view;
  return everywhere(s, ({ live, past }) =>
    live?.state.runId === runId || past?.state.runId === runId
      ? { live: apply(live), past: apply(past) }
      : {},
  );
}

/** Adds events to a run wherever it is shown. What watches it may have brought some of them already. */
const ofAll = (runId: string) => (events: readonly RunEvent[]) =>
  useRuns.setState((s) =>
    inView(s, runId, (state) => further(state, isWatched(runId) ? unseen(state, events) : events)),
  );

/** Of some events, those that the state has not seen. Streamed pieces share the number of the record before them. */
function unseen(state: RunState, events: readonly RunEvent[]): readonly RunEvent[] {
  const last = state.log.at(-1)?.seq ?? -1;
  return events.filter((e) => (isUnrecorded(e) ? e.seq >= last : e.seq > last));
}

async function readView(runId: string): Promise<RunView> {
  const { detail, state } = await readRun(runId);
  return {
    state: {
      ...state,
      // What was cut off with its program is in no event.
      usage: state.status === "interrupted" ? detail.summary.usage : state.usage,
      budget: state.budget ?? detail.budget ?? null,
    },
    document: detail.document,
    flowPath: detail.summary.flowPath,
    // A worker that leads it is watched from now on.
    live: storeOf(runId) !== null && !isOver(state.status),
  };
}

const ignore = () => undefined;

/** The state of a run, wherever it is shown. */
function stateOf(s: RunsState, runId: string): RunState | null {
  for (const { live, past } of [s, ...Object.values(s.away)]) {
    const view = [past, live].find((one) => one?.state.runId === runId);
    if (view) return view.state;
  }
  return null;
}

/** A run of a shared store as those see it who watch it. */
function shownOf(runId: string): Shown {
  return {
    state: () => stateOf(useRuns.getState(), runId),
    change: (change) => useRuns.setState((s) => inView(s, runId, change)),
    add: (events) => {
      const before = stateOf(useRuns.getState(), runId);
      if (before === null) return;
      const fresh = unseen(before, events);
      if (fresh.length === 0) return;
      // Read first: what these events show settles it.
      const request = useRequests.getState().byRun[runId];
      useRuns.setState((s) => inView(s, runId, (state) => further(state, unseen(state, events))));
      noteAnswers(before, fresh, request);
    },
  };
}

/** Says so where a question that this window shows was answered by somebody else. */
function noteAnswers(before: RunState, events: readonly RunEvent[], request: RunRequest | undefined): void {
  const view = shownRun(useRuns.getState());
  if (view?.state.runId !== before.runId) return;
  for (const event of events) {
    if (event.type !== "workflow.node.completed" && event.type !== "workflow.node.failed") continue;
    if (!before.waiting.includes(event.path) || view.state.status === "cancelled") continue;
    const isOwn = request?.kind === "answer" && request.path === event.path;
    if (!isOwn) tellAnswered(titleIn(view.document, event.node_id ?? ""));
  }
}

/** Asks something of a run that a worker leads, and remembers it until the worker has acted. */
async function request(
  state: RunState,
  kind: RequestKind,
  act: () => Promise<unknown>,
  answer: { path: string; approved: boolean } | null = null,
): Promise<void> {
  const { runId, status } = state;
  const { add, remove } = useRequests.getState();
  const seq = state.log.at(-1)?.seq ?? -1;
  add(runId, { kind, path: answer?.path ?? null, approved: answer?.approved ?? null, status, seq });
  try {
    await act();
  } catch (error) {
    remove(runId);
    lookAgain(runId, shownOf(runId));
    throw error;
  }
  lookAgain(runId, shownOf(runId));
}

async function answerInStore(state: RunState, path: string, answer: StepAnswer): Promise<void> {
  const { runId } = state;
  try {
    await request(state, "answer", () => api().answerRun(runId, path, answer, ignore), {
      path,
      approved: answer.approved,
    });
  } catch (error) {
    // Refused, because another window was first?
    const step = await api()
      .stepDetail(runId, path)
      .catch(() => null);
    if (step === null || step.status === "waiting") throw error;
    const document = shownRun(useRuns.getState())?.document;
    tellAnswered(document ? titleIn(document, step.node_id) : step.node_id);
  }
}

/** How often a run that was started elsewhere, and still continues, is read again. */
const FOLLOW_INTERVAL_MS = 1000;

/** Reads a reopened run again until it has ended or is closed: its events come to whoever started it alone. */
function followPast(runId: string): void {
  setTimeout(async () => {
    const shown = () => useRuns.getState().past?.state.runId === runId;
    if (!shown()) return;
    try {
      const view = await readView(runId);
      if (!shown()) return;
      useRuns.setState((s) => (s.past ? { past: { ...s.past, state: view.state } } : s));
      if (view.state.status === "running") followPast(runId);
    } catch {
      // What is shown stays; opening the run again says why it cannot be read.
    }
  }, FOLLOW_INTERVAL_MS);
}

/** The run in front: the reopened one, else the one started last. */
export function shownRun(s: Pick<RunsState, "live" | "past">): RunView | null {
  return s.past ?? s.live;
}

/** Whether a run has not ended and was not interrupted, also one whose tab was closed, or that another program drives. */
export function isUnfinished(view: RunView | null): boolean {
  return view !== null && isUnfinishedStatus(view.state.status);
}

/** Neither ended nor interrupted: it runs, waits for a worker, or is suspended until a person does something. */
export function isUnfinishedStatus(status: RunState["status"] | null): boolean {
  return status === "running" || status === "waiting" || status === "paused" || status === "queued";
}

/** Iterations that are being read, so that none is asked for twice. */
const reading = new Set<string>();

/** Reads what the shown iterations of a long run lack, and their neighbours in the loop that comes to be drawn. */
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
            useRuns.setState((s) => inView(s, runId, (state) => graftEvents(state, loop.path, events))),
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

// What was asked of a run is settled by what the run shows.
useRuns.subscribe((s) => {
  const { byRun, settle } = useRequests.getState();
  for (const runId of Object.keys(byRun)) {
    const state = stateOf(s, runId);
    if (state !== null) settle(runId, knownOf(state));
  }
});

// A run that is left is not followed any longer.
useRuns.subscribe(endUnshown);

useRuns.subscribe((s, before) => {
  if (s.past !== before.past) readShown(s.past, useChosenIteration.getState().chosen);
});
// Of a run that is under way, only what somebody chose can lie far behind, and what they come to look at.
useChosenIteration.subscribe((s, before) => {
  if (s.chosen === before.chosen && s.timelineLoop === before.timelineLoop) return;
  readShown(
    shownRun(useRuns.getState()),
    s.chosen,
    s.timelineLoop === before.timelineLoop ? null : s.timelineLoop,
  );
});

// Another document in hand leaves the runs of the one before behind: their nodes are not on the canvas. A document
// that is only looked at comes and goes with its past run.
useDocument.subscribe((s, before) => {
  if (s.generation === before.generation || s.suspended !== null) return;
  if (before.suspended !== null && s.root === before.suspended.root) useRuns.getState().closePast();
  else useRuns.setState({ live: null, past: null });
});

// Back to editing means back to the document in hand.
useSession.subscribe((s, before) => {
  if (s.layout !== before.layout && s.layout === "edit") useRuns.getState().closePast();
});
