// Closes tabs and the window. The user decides about unsaved work first, and no run is stopped without
// asking.
import { fileName, isDirty, useDocument } from "../document/document";
import { confirmDiscard } from "../document/files";
import { api, errorMessage } from "../ipc/client";
import { confirmLeaveEvaluation } from "../pages/evaluate/evaluation-store";
import { isUnfinished, useRuns } from "../runs/session/store";
import { askQuestion } from "../session/dialog";
import { useSession } from "../session/session";
import { dropTab, handOf, showTab, type Tab, useTabs } from "./tabs";

const tabOf = (id: string) => useTabs.getState().tabs.find((tab) => tab.id === id);

/**
 * Returns whether closing a tab would lose its content. True for unsaved changes, and if the tab's file was
 * moved or deleted.
 */
async function isUnsaved(tab: Tab): Promise<boolean> {
  const hand = handOf(tab);
  if (isDirty(hand)) return true;
  if (hand.path === null || hand.suspended !== null) return false;
  // A file that cannot be checked is assumed to exist.
  const version = await api()
    .fileVersion(hand.path)
    .catch(() => "");
  if (version !== null) return false;
  showTab(tab.id);
  useDocument.getState().markLost();
  return true;
}

function runOf(id: string) {
  const { live, background } = useRuns.getState();
  const view = id === useTabs.getState().active ? live : (background[id]?.live ?? null);
  return isUnfinished(view) ? view : null;
}

/**
 * Asks whether to stop the run of a tab that is being closed, or to let it continue. Returns false if the tab
 * must stay open: the user cancels, or stopping fails.
 */
async function settleRun(id: string): Promise<boolean> {
  const runId = runOf(id)?.state.runId;
  const tab = tabOf(id);
  if (!runId || !tab) return true;
  const { path, root } = handOf(tab);
  const answer = await askQuestion({
    title: `“${fileName(path, root.name)}” is still running`,
    detail:
      "Every step is saved when it ends. If the run continues without its tab, you can find it under Runs.",
    choices: [
      { label: "Let it run", value: "leave", tone: "primary" },
      { label: "Stop it", value: "stop", tone: "danger" },
      { label: "Cancel", value: "cancel" },
    ],
    cancel: "cancel",
  });
  if (answer !== "stop") return answer === "leave";
  try {
    await api().stopRun(runId);
    return true;
  } catch (error) {
    useSession
      .getState()
      .toast({ tone: "error", title: "The run was not stopped", detail: errorMessage(error) });
    return false;
  }
}

/**
 * Closes a tab. Asks first if its work is unsaved or its run is in progress. Returns false if the tab stays
 * open.
 */
export async function closeTab(id: string): Promise<boolean> {
  const tab = tabOf(id);
  if (!tab) return false;
  if (await isUnsaved(tab)) {
    // The tab is shown before the user is asked about it.
    showTab(id);
    if (!(await confirmDiscard())) return false;
  }
  if (!(await settleRun(id))) return false;
  const last = useTabs.getState().tabs.length === 1;
  dropTab(id);
  if (last) useSession.getState().show("gallery");
  return true;
}

/**
 * Asks whether the runs of this window continue in the background, are paused, or are stopped. Returns false
 * if the user cancels. The caller stops the runs by closing the window.
 */
async function settleRuns(): Promise<boolean> {
  // If the running runs cannot be read, the window closes: a window that refuses to close would be worse.
  const going = await api()
    .goingRuns()
    .catch(() => []);
  const [newest] = going;
  if (newest === undefined) return true;
  const one = going.length === 1;
  const answer = await askQuestion({
    title: one ? `“${newest.flow}” is still running` : `${going.length} runs are still running`,
    detail: `In the background, Loopwright runs without a window and quits after ${one ? "the run" : "the last run"}. If you pause, running steps finish first. Open Loopwright again to see the results.`,
    choices: [
      { label: "Keep running in the background", value: "leave", tone: "primary" },
      { label: one ? "Pause it" : "Pause them", value: "pause" },
      { label: one ? "Stop it" : "Stop them", value: "stop", tone: "danger" },
      { label: "Cancel", value: "cancel" },
    ],
    cancel: "cancel",
  });
  if (answer === "leave" || answer === "pause") await api().leaveRuns(answer === "pause");
  return answer !== "cancel";
}

/**
 * Returns whether the window may close. Asks the user about the unsaved work of each tab, the evaluation, and the
 * runs in progress.
 */
export async function confirmCloseWindow(): Promise<boolean> {
  for (const { id } of useTabs.getState().tabs) {
    const tab = tabOf(id);
    if (!tab || !(await isUnsaved(tab))) continue;
    showTab(id);
    useSession.getState().show("editor");
    if (!(await confirmDiscard())) return false;
  }
  return (await confirmLeaveEvaluation()) && settleRuns();
}
