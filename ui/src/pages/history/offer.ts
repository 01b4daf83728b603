// Reports interrupted runs, and runs in the background, when the program starts. The message offers the newest
// one; the others are in the history.
import { api } from "../../ipc/client";
import { plural } from "../../runs/words/format";
import { useSession } from "../../session/session";
import { resumeRun } from "./actions";
import { NO_FILTER, toQuery } from "./filter";
import { showRunAt } from "./show-run";
import { useHistory } from "./store";

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
    detail: `The newest is “${newest.flow}”. Finished steps are saved and won't be charged again.`,
    actions: [
      {
        label: tally.runs === 1 ? "Resume" : "Resume the newest",
        run: () => {
          session.dismiss(id);
          void resumeRun(newest.runId);
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
 * Offers to show the newest run that another program executes, such as one that continued after its window
 * was closed.
 */
export async function offerBackground(): Promise<void> {
  const { runs, tally } = await api().findRuns(
    { ...toQuery(NO_FILTER, 0, 0, 1), statuses: ["running"] },
    null,
  );
  const [newest] = runs;
  if (newest === undefined) return;
  const session = useSession.getState();
  const id = session.toast({
    tone: "info",
    stays: true,
    title: `${plural(tally.runs, "run continues", "runs continue")} in the background`,
    detail: `The newest is “${newest.flow}”.`,
    actions: [
      {
        label: tally.runs === 1 ? "Show" : "Show the newest",
        run: () => {
          session.dismiss(id);
          void showRunAt(newest.runId, null);
        },
      },
    ],
  });
}
