// Finds the row of a case by its id.
import { api, errorMessage } from "../../ipc/client";
import { useSession } from "../../session/session";
import { PAGE, useExperiment } from "./experiment-store";

/** The number of rows per request during a search. */
const BLOCK = 500;

/** Scrolls to the case with the id `id`. Searches the loaded rows first, then the others block by block. */
export async function findCase(id: string): Promise<void> {
  const { view, pages, shown, goTo } = useExperiment.getState();
  if (view === null || shown === null) return;
  for (const [page, rows] of pages) {
    const at = rows.findIndex((row) => row.case.id === id);
    if (at >= 0) return goTo(page * PAGE + at);
  }
  try {
    for (let offset = 0; offset < view.caseCount; offset += BLOCK) {
      const rows = await api().experimentRows(shown, offset, BLOCK);
      if (useExperiment.getState().shown !== shown) return;
      const at = rows.findIndex((row) => row.case.id === id);
      if (at >= 0) return goTo(offset + at);
      if (rows.length === 0) break;
    }
    useSession.getState().toast({ tone: "warn", title: `No row has the id “${id}”` });
  } catch (error) {
    useSession
      .getState()
      .toast({ tone: "error", title: "The case could not be found", detail: errorMessage(error) });
  }
}
