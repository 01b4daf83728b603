// Pauses and resumes a run, continues one that has reached its budget with a larger one, and replays a
// finished one.
import { errorMessage } from "../ipc/client";
import { verifyRun } from "../pages/history/actions";
import { overBudgetRun, useBudgetDialog } from "../runs/session/over-budget";
import { stoppedPath } from "../runs/session/stopped";
import { shownRun, useRuns } from "../runs/session/store";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { continueStopped } from "./retry";

const shown = () => shownRun(useRuns.getState());

async function attempt(refused: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    useSession.getState().toast({ tone: "error", title: refused, detail: errorMessage(error) });
  }
}

const canPause = () => shown()?.state.status === "running";

/** The command that pauses a run, or resumes it if it is paused. One key does both. */
export const pauseCommand: Command = {
  id: "run.pause",
  label: "Pause / resume",
  icon: "pause",
  keys: ["mod+shift+."],
  scope: "window",
  possible: () => canPause() || (continueCommand.possible?.() ?? false),
  run: () =>
    canPause() ? attempt("The run was not paused", () => useRuns.getState().pause()) : continueCommand.run(),
};

export const continueCommand: Command = {
  id: "run.continue",
  label: "Continue",
  icon: "play",
  scope: "window",
  possible: () => {
    const state = shown()?.state;
    return (
      ["paused", "interrupted"].includes(state?.status ?? "") || (!!state && stoppedPath(state) !== null)
    );
  },
  run: () => {
    const view = shown();
    if (view === null) return;
    // A stopped run has ended, so its remaining steps execute in a new run.
    if (view.state.status === "cancelled") return continueStopped();
    const { resumeLive, resume } = useRuns.getState();
    const isPaused = view.live && view.state.status === "paused";
    return attempt("The run did not continue", () => (isPaused ? resumeLive() : resume(view.state.runId)));
  },
};

export const largerBudgetCommand: Command = {
  id: "run.largerBudget",
  label: "Continue with a larger budget…",
  icon: "coins",
  scope: "window",
  possible: () => overBudgetRun(shown()?.state) !== null,
  run: () => {
    const runId = overBudgetRun(shown()?.state);
    if (runId !== null) return useBudgetDialog.getState().open(runId);
  },
};

export const verifyCommand: Command = {
  id: "run.verify",
  label: "Replay and verify this run",
  icon: "repeat",
  scope: "window",
  possible: () => {
    const view = shown();
    return view !== null && ["completed", "failed", "cancelled"].includes(view.state.status);
  },
  run: () => {
    const runId = shown()?.state.runId;
    if (runId) return verifyRun(runId);
  },
};
