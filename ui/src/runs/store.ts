// The runs the window knows: the live one and a past one that was opened. Both are folded by the same reducer.
import { create } from "zustand";
import { useDocument } from "../document/document";
import { api, type StepAnswer } from "../ipc/client";
import type { FlowDoc, Json, RunEvent } from "../ipc/generated/bindings";
import { useChosenIteration } from "../session/chosen-iteration";
import { useSession } from "../session/session";
import { frames } from "./frames";
import type { RunState } from "./model";
import { emptyRun, endedAs, fold, foldAll } from "./reduce";

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
};

export const NO_RUNS: TabRuns = { live: null, past: null, starting: false, stopping: false };

type RunsState = TabRuns & {
  /** Those of the tabs in the background, by tab; they go on, and what they say is folded here. */
  readonly away: { readonly [tab: string]: TabRuns };
  /** Puts the runs in front away, as those of a tab that goes behind. */
  putAway(tab: string): void;
  /** Brings a tab's runs to the front again. */
  takeUp(tab: string): void;
  /** Forgets what was put away for a tab; the runs themselves go on. */
  forget(tab: string): void;
  /** Starts a run. Rejects with the engine's reason when it is refused. */
  start(document: FlowDoc, flowPath: string | null, inputs: Record<string, Json>): Promise<string>;
  /** Stops the shown run. */
  stop(): Promise<void>;
  /** Answers a step of the shown run that waits for a person, and goes on with the run. */
  answer(path: string, answer: StepAnswer): Promise<void>;
  /** Goes on with a run that was interrupted; what was recorded is not asked for again. */
  resume(runId: string): Promise<void>;
  open(runId: string): Promise<void>;
  closePast(): void;
};

/** Counts the runs started here: the events of an earlier one must not mix with those of a newer one. */
let turns = 0;

export const useRuns = create<RunsState>()((set, get) => ({
  ...NO_RUNS,
  away: {},

  putAway(tab) {
    const { live, past, starting, stopping } = get();
    set((s) => ({ ...NO_RUNS, away: { ...s.away, [tab]: { live, past, starting, stopping } } }));
  },

  takeUp(tab) {
    const { [tab]: runs = NO_RUNS, ...away } = get().away;
    set({ ...runs, away });
    const { past } = runs;
    if (past?.live === false && past.state.status === "running") followPast(past.state.runId);
  },

  forget(tab) {
    const { [tab]: _, ...away } = get().away;
    set({ away });
  },

  async start(document, flowPath, inputs) {
    get().closePast();
    const before = get().live;
    useChosenIteration.getState().reset();
    turns += 1;
    const turn = turns;
    const view: RunView = { state: emptyRun("", document.name), document, flowPath, live: true, turn };
    set({ live: view, past: null, starting: true, stopping: false });
    const mine = (change: (runs: TabRuns, live: RunView) => Partial<TabRuns>) =>
      set((s) => everywhere(s, (runs) => (runs.live?.turn === turn ? change(runs, runs.live) : {})));
    const sink = frames((events: readonly RunEvent[]) =>
      mine((_, live) => ({ live: { ...live, state: fold(live.state, events) } })),
    );
    try {
      const runId = await api().startRun(document, flowPath, inputs, (event) => sink.push(event));
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

  async stop() {
    const view = shownRun(get());
    if (!isRunning(view) || view === null || view.state.runId === "") return;
    const { runId, status } = view.state;
    set({ stopping: true });
    try {
      await api().stopRun(runId);
      // A run that rests says nothing when it is stopped.
      if (status === "waiting") set((s) => inView(s, runId, (state) => endedAs(state, "cancelled")));
    } finally {
      set((s) => everywhere(s, (runs) => (shownRun(runs)?.state.runId === runId ? { stopping: false } : {})));
    }
  },

  async answer(path, answer) {
    const runId = shownRun(get())?.state.runId;
    if (!runId) return;
    const sink = frames((events) => set((s) => inView(s, runId, (state) => fold(state, events))));
    await api().answerRun(runId, path, answer, (event) => sink.push(event));
    set((s) => ({ past: s.past?.state.runId === runId ? { ...s.past, live: true } : s.past }));
  },

  async resume(runId) {
    await get().open(runId);
    const [detail, events] = await Promise.all([api().runDetail(runId), api().runEvents(runId)]);
    const sink = frames((some) => set((s) => inView(s, runId, (state) => fold(state, some))));
    await api().resumeRun(runId, (event) => sink.push(event));
    // As it was in the middle of the work, so that what comes now goes on from there.
    const state = foldAll(runId, events);
    set((s) => ({
      past:
        s.past?.state.runId === runId ? { ...s.past, document: detail.document, state, live: true } : s.past,
    }));
  },

  async open(runId) {
    const live = get().live;
    if (live?.state.runId === runId) {
      get().closePast();
      return;
    }
    const view = await readPast(runId);
    useChosenIteration.getState().reset();
    set({ past: view });
    useDocument.getState().showReadOnly(view.document);
    if (view.state.status === "running") followPast(runId);
  },

  closePast() {
    if (get().past === null) return;
    useChosenIteration.getState().reset();
    set({ past: null });
    useDocument.getState().backToEditing();
  },
}));

/** Changes the runs in front and those of the tabs behind; what does not change stays the same object. */
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

async function readPast(runId: string): Promise<RunView> {
  const [detail, events] = await Promise.all([api().runDetail(runId), api().runEvents(runId)]);
  return {
    state: endedAs(foldAll(runId, events), detail.summary.status),
    document: detail.document,
    flowPath: detail.summary.flowPath,
    live: false,
  };
}

/** How often a run that was started elsewhere, and still goes on, is read again. */
const FOLLOW_MS = 1000;

/** Reads a reopened run again until it has ended or is put away: its events come to whoever started it alone. */
function followPast(runId: string): void {
  setTimeout(async () => {
    const shown = () => useRuns.getState().past?.state.runId === runId;
    if (!shown()) return;
    try {
      const view = await readPast(runId);
      if (!shown()) return;
      useRuns.setState((s) => (s.past ? { past: { ...s.past, state: view.state } } : s));
      if (view.state.status === "running") followPast(runId);
    } catch {
      // What is shown stays; opening the run again says why it cannot be read.
    }
  }, FOLLOW_MS);
}

/** The run in front: the reopened one, else the one started last. */
export function shownRun(s: Pick<RunsState, "live" | "past">): RunView | null {
  return s.past ?? s.live;
}

export function isRunning(view: RunView | null): boolean {
  return view?.live === true && (view.state.status === "running" || view.state.status === "waiting");
}

// Another document in hand leaves the runs of the one before behind: their nodes are not on the canvas. A document
// that is only looked at comes and goes with its past run.
useDocument.subscribe((s, before) => {
  if (s.generation === before.generation || s.behind !== null) return;
  if (before.behind !== null && s.root === before.behind.root) useRuns.getState().closePast();
  else useRuns.setState({ live: null, past: null });
});

// Back to editing means back to the document in hand.
useSession.subscribe((s, before) => {
  if (s.layout !== before.layout && s.layout === "edit") useRuns.getState().closePast();
});
