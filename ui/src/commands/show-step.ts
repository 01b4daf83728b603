// Shows a step of the run where it is, large enough to be read: into the subflows on its way, at the iterations of its path.
import { useDocument, wayIn } from "../document/document";
import { goInto, goOut } from "../document/files";
import { choose } from "../runs/cursor";
import { runHere } from "../runs/level";
import { parsePath, wayKey } from "../runs/path";
import { useRuns } from "../runs/store";
import { shownLoop } from "../runs/view";
import { goToNode } from "../scene/go-to";
import { useChosenIteration } from "../session/chosen-iteration";

/** Chooses an iteration of a loop of the shown flow; the newest one goes on being followed. */
function chooseIteration(loopId: string, iteration: number): void {
  const run = runHere(useRuns.getState())?.state;
  const loop = run && shownLoop(run, useChosenIteration.getState().chosen, loopId);
  choose(loopId, loop?.current === iteration ? "live" : iteration);
}

/** `path`: as in events, `outer[2]/polish/ask`. False where a person did not want to leave an unsaved file. */
export async function showStep(path: string): Promise<boolean> {
  const segments = parsePath(path);
  const last = segments.at(-1);
  if (last === undefined) return false;
  const around = segments.slice(0, -1);
  const way = around.filter((segment) => segment.iteration === null).map((segment) => segment.id);
  const isHere = wayKey(way) === wayKey(wayIn(useDocument.getState()));
  while (!isHere && wayIn(useDocument.getState()).length > 0) if (!(await goOut())) return false;
  for (const { id, iteration } of around) {
    if (iteration !== null) chooseIteration(id, iteration);
    else if (!isHere && !(await goInto(id))) return false;
  }
  goToNode(last.id);
  return true;
}
