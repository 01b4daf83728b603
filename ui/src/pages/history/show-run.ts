// Shows the run of a notification on which the user clicked.
import { showStep } from "../../commands/show-step";
import { shownRun, useRuns } from "../../runs/session/store";
import { useSession } from "../../session/session";
import { showTabOfRun } from "../../tabs/run-tab";
import { useTabs } from "../../tabs/tabs";
import { openRun } from "./actions";

/**
 * Shows a run at the step with this path: in the tab where it is live, otherwise as a past run. `null` shows
 * the run as a whole.
 */
export async function showRunAt(runId: string, step: string | null): Promise<void> {
  const { background, live } = useRuns.getState();
  const isLive =
    live?.state.runId === runId ||
    useTabs.getState().tabs.some(({ id }) => background[id]?.live?.state.runId === runId);
  if (isLive) {
    await showTabOfRun(runId);
    useRuns.getState().closePast();
    const session = useSession.getState();
    session.show("editor");
    session.setLayout("run");
  } else {
    await openRun(runId);
  }
  if (step !== null && shownRun(useRuns.getState())?.state.runId === runId) await showStep(step);
}
