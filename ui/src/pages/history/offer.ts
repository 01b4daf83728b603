// At the start: runs that were cut off are named, with the way to the history where they can be resumed or discarded.
import { api } from "../../ipc/client";
import { plural } from "../../runs/format";
import { useSession } from "../../session/session";
import { NO_FILTER, toQuery } from "./filter";
import { useHistory } from "./store";

export async function offerInterrupted(): Promise<void> {
  const { runs, tally } = await api().findRuns({ ...toQuery(NO_FILTER, 0, 0, 1), statuses: ["interrupted"] });
  const [newest] = runs;
  if (newest === undefined) return;
  const session = useSession.getState();
  const id = session.toast({
    tone: "warn",
    stays: true,
    title: `${plural(tally.runs, "run")} cut off`,
    detail: `The newest is “${newest.flow}”. What was done is saved, and nothing is paid for twice.`,
    actions: [
      {
        label: "Show",
        run: () => {
          useHistory.getState().select(newest.runId);
          session.show("runs");
          session.dismiss(id);
        },
      },
    ],
  });
}
