// Finds the tab for a past run: the one that shows the run, otherwise the one with the run's flow.
import { api } from "../ipc/client";
import { shownRun, useRuns } from "../runs/session/store";
import { showTab, tabOfFile, useTabs } from "./tabs";

/**
 * Brings the tab that shows the run to the front, otherwise the tab with the file of the run's flow. If there
 * is neither, the active tab stays. Rejects if the run cannot be read.
 */
export async function showTabOfRun(runId: string): Promise<void> {
  const { tabs, active } = useTabs.getState();
  const runs = useRuns.getState();
  const inFront = shownRun(runs)?.state.runId === runId || runs.live?.state.runId === runId;
  if (inFront) return;
  const shows = tabs.find(({ id }) => {
    const inactiveRuns = id === active ? undefined : runs.background[id];
    return inactiveRuns?.live?.state.runId === runId || inactiveRuns?.past?.state.runId === runId;
  });
  if (shows) showTab(shows.id);
  else showTabOfFile((await api().runDetail(runId)).summary.flowPath);
}

/** Brings the tab with an open file to the front, if there is one. */
export function showTabOfFile(path: string | null): void {
  const tab = path === null ? null : tabOfFile(path);
  if (tab !== null) showTab(tab);
}
