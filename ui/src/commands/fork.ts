// Forks the shown run, runs from a node with known values, and runs up to a node.
import { breadcrumbPath, outermost, useDocument } from "../document/document";
import { api, errorMessage } from "../ipc/client";
import { readPast } from "../runs/fold/past";
import { pinsOf } from "../runs/inputs/pins";
import { iterationTarget, nodeTarget, pathIn, useFork } from "../runs/session/fork";
import { isUnfinished, sessionOf, shownRun, useRuns } from "../runs/session/store";
import { currentLoop } from "../runs/view/cursor";
import { useChosenIteration } from "../session/chosen-iteration";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { canForkInHand, prepareToRun } from "./run";
import { inEditor } from "./selection";

const selected = (): string | null => {
  const { view, selection } = useSession.getState();
  const [id] = selection.nodes;
  return view === "editor" && selection.nodes.size === 1 && id !== undefined ? id : null;
};

function target() {
  if (useSession.getState().layout !== "run") return null;
  const id = selected();
  const loop = currentLoop(id);
  return (id === null ? null : nodeTarget(id)) ?? (loop === null ? null : iterationTarget(loop));
}

export const forkCommand: Command = {
  id: "run.fork",
  label: "Fork from here…",
  icon: "git-fork",
  keys: ["shift+f"],
  scope: "canvas",
  possible: () => target() !== null,
  run: () => {
    const found = target();
    if (found !== null) useFork.getState().open(found);
  },
};

export const forkIterationCommand: Command = {
  id: "run.forkIteration",
  label: "Fork from this iteration…",
  icon: "git-fork",
  scope: "window",
  possible: () => inEditor() && useSession.getState().layout === "run" && currentLoop(selected()) !== null,
  run: () => {
    const loop = currentLoop(selected());
    const found = loop === null ? null : iterationTarget(loop);
    if (found !== null) useFork.getState().open(found);
  },
};

/**
 * Returns the id of the selected node of the open flow; null if no run can start from the node or end at it.
 */
const runnable = (): string | null => {
  const state = useDocument.getState();
  const past = useRuns.getState().past !== null;
  const inside = state.parents.length > 0 || breadcrumbPath(state).length > 0;
  return !inEditor() || past || inside || isUnfinished(useRuns.getState().live) ? null : selected();
};

/** Starts a run, and shows the reason if it fails. */
async function attemptRun(start: () => Promise<void>): Promise<void> {
  const session = useSession.getState();
  const { layout } = session;
  try {
    await start();
  } catch (error) {
    session.setLayout(layout);
    session.toast({ tone: "error", title: "The run did not start", detail: errorMessage(error) });
  }
}

/**
 * Returns the newest run of this file that can be forked: the shown one, otherwise one from the history.
 * Fails with a message for the user if there is none.
 */
async function lastRun(): Promise<{ runId: string; path(nodeId: string): string | null }> {
  const shown = shownRun(useRuns.getState());
  if (shown && shown.state.runId !== "") {
    const choice = useChosenIteration.getState().chosen;
    return { runId: shown.state.runId, path: (id) => pathIn(shown.state, choice, id) };
  }
  const { root, path } = outermost(useDocument.getState());
  const none = "There is no earlier run of this workflow to take values from. Run the whole workflow once.";
  // Runs of workflows without a file are identified only by name, and another workflow may have the same
  // name.
  if (path === null) throw new Error(none);
  const { runs } = await api().findRuns(
    {
      statuses: [],
      exitReasons: [],
      flow: root.name ?? "",
      since: null,
      until: null,
      text: "",
      starred: null,
      batch: null,
      limit: 50,
      offset: 0,
    },
    null,
  );
  const run = runs.find((r) => r.flowPath === path && r.status !== "running");
  if (run === undefined) throw new Error(none);
  const state = await readPast(run.runId, run.status);
  return { runId: run.runId, path: (id) => pathIn(state, null, id) };
}

async function runFrom(nodeId: string): Promise<void> {
  if (!(await canForkInHand())) return;
  useSession.getState().setLayout("run");
  const file = outermost(useDocument.getState());
  const { root, path } = file;
  const known = await lastRun();
  const at = known.path(nodeId);
  if (at === null)
    throw new Error(
      "The last run did not reach this node, so the values before it are unknown. Run to this node first.",
    );
  const focus = { pins: pinsOf(file), until: null };
  const request = { at, document: root, edits: [], value: null, budgetUsd: null, focus };
  await useRuns.getState().startAs(root, path, sessionOf(known.runId).fork(request));
}

export const runFromCommand: Command = {
  id: "run.from",
  label: "Run from here",
  icon: "step-forward",
  keys: ["mod+shift+enter"],
  scope: "window",
  possible: () => runnable() !== null,
  run: () => {
    const id = runnable();
    if (id !== null) return attemptRun(() => runFrom(id));
  },
};

export const runToCommand: Command = {
  id: "run.to",
  label: "Run to here",
  icon: "arrow-down-to-line",
  keys: ["mod+alt+enter"],
  scope: "window",
  possible: () => runnable() !== null,
  run: () => {
    const id = runnable();
    if (id === null) return;
    return attemptRun(async () => {
      const prepared = await prepareToRun(id);
      if (prepared === null) return;
      useSession.getState().setLayout("run");
      await useRuns.getState().start(prepared);
    });
  },
};
