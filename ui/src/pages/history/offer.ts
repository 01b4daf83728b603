// Reports interrupted runs and runs in progress when the program starts. Each message offers the newest run. The
// others are in the history.
import { api } from "../../ipc/client";
import type { RunSummary } from "../../ipc/generated/bindings";
import { plural } from "../../runs/words/format";
import { useSession } from "../../session/session";
import { resumeRun } from "./actions";
import { NO_FILTER, toQuery } from "./filter";
import { showRunAt } from "./show-run";
import { PAGE, useHistory } from "./store";

export async function offerInterrupted(): Promise<void> {
  const { runs, tally } = await api().findRuns(
    { ...toQuery(NO_FILTER, 0, 0, 1), statuses: ["interrupted"] },
    null,
  );
  const [newest] = runs;
  if (newest === undefined) return;
  const session = useSession.getState();
  const id = session.toast({
    tone: "warn",
    stays: true,
    title: `${plural(tally.runs, "run was", "runs were")} interrupted`,
    detail: `${tally.runs === 1 ? "It" : "The newest"} is “${newest.flow}”. Finished steps are saved and won't be charged again.`,
    runId: newest.runId,
    actions: [
      {
        label: tally.runs === 1 ? "Resume" : "Resume the newest",
        run: () => {
          session.dismiss(id);
          // The others are offered next.
          void resumeRun(newest.runId).then(offerInterrupted);
        },
      },
      {
        label: "Show",
        run: () => {
          useHistory.getState().showRun(newest.runId);
          session.show("runs");
          session.dismiss(id);
        },
      },
    ],
  });
}

/**
 * Offers to show the newest run that is in progress: one that continues in another program after its window
 * was closed, or one that this program resumed when it started.
 */
export async function offerBackground(): Promise<void> {
  const { runs } = await api().findRuns({ ...toQuery(NO_FILTER, 0, 0, PAGE), statuses: ["running"] }, null);
  const resumed = new Set((await api().goingRuns()).map(({ runId }) => runId));
  offerToShow(
    runs.filter(({ runId }) => resumed.has(runId)),
    (count) => `${plural(count, "interrupted run was", "interrupted runs were")} resumed`,
  );
  offerToShow(
    runs.filter(({ runId }) => !resumed.has(runId)),
    (count) => `${plural(count, "run continues", "runs continue")} in the background`,
  );
}

/** Shows a message about runs that are in progress, newest first. Shows none if there are no such runs. */
function offerToShow(runs: readonly RunSummary[], title: (count: number) => string): void {
  const [newest] = runs;
  if (newest === undefined) return;
  const session = useSession.getState();
  const id = session.toast({
    tone: "info",
    stays: true,
    title: title(runs.length),
    detail: `${runs.length === 1 ? "It" : "The newest"} is “${newest.flow}”.`,
    actions: [
      {
        label: runs.length === 1 ? "Show" : "Show the newest",
        run: () => {
          session.dismiss(id);
          void showRunAt(newest.runId, null);
        },
      },
    ],
  });
}
