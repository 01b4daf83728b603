// Shows a step of the run at a readable size. Enters the subflows in the step's path and chooses the
// iterations.
import { breadcrumbPath, useDocument } from "../document/document";
import { enterSubflow, leaveSubflow } from "../document/files";
import { flowKey, parsePath } from "../runs/fold/path";
import { useRuns } from "../runs/session/store";
import { chooseLoopIteration } from "../runs/view/cursor";
import { runHere } from "../runs/view/level";
import { shownLoop } from "../runs/view/view";
import { goToNode } from "../scene/go-to";
import { useChosenIteration } from "../session/chosen-iteration";

/**
 * Chooses an iteration of a loop in the shown flow. If it is the newest one, the loop is followed instead.
 */
function chooseIteration(loopId: string, iteration: number): void {
  const run = runHere(useRuns.getState())?.state;
  const loop = run && shownLoop(run, useChosenIteration.getState().chosen, loopId);
  chooseLoopIteration(loopId, loop?.current === iteration ? "live" : iteration);
}

/**
 * Shows the step at `path`, as in events: `outer[2]/polish/ask`. Returns false if the step cannot be shown,
 * for example because the user did not want to leave an unsaved file.
 */
export async function showStep(path: string): Promise<boolean> {
  const segments = parsePath(path);
  const last = segments.at(-1);
  if (last === undefined) return false;
  const around = segments.slice(0, -1);
  const breadcrumbs = around.filter((segment) => segment.iteration === null).map((segment) => segment.id);
  const isHere = flowKey(breadcrumbs) === flowKey(breadcrumbPath(useDocument.getState()));
  while (!isHere && breadcrumbPath(useDocument.getState()).length > 0)
    if (!(await leaveSubflow())) return false;
  for (const { id, iteration } of around) {
    if (iteration !== null) chooseIteration(id, iteration);
    else if (!isHere && !(await enterSubflow(id))) return false;
  }
  await goToNode(last.id);
  return true;
}
