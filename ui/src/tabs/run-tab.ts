// The tab in which a past run is looked at: that which shows it, or has its flow open.
import { api } from "../ipc/client";
import { shownRun, useRuns } from "../runs/session/store";
import { showTab, tabOfFile, useTabs } from "./tabs";

/**
 * Brings the tab to the front that shows the run, else the one with its flow's file; where there is none the one in front
 * stays. Rejects where the run cannot be read.
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

/** Brings the tab to the front in which a file is open, if there is one. */
export function showTabOfFile(path: string | null): void {
  const tab = path === null ? null : tabOfFile(path);
  if (tab !== null) showTab(tab);
}
