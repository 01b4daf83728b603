// What the window keeps of a run that goes on for hours: of long loops the newest iterations, the first, and those that
// somebody looks at. The rest is in the store, and is read again when it is shown, as that of a past run is.
import type { RunEvent } from "../ipc/generated/bindings";
import type { Iteration, LoopRecord, RunState, Scope } from "./model";
import { atLoop, outerLoops } from "./past";
import type { Choice } from "./view";

/** The newest iterations of a loop that are kept whole: somewhat more than the timeline draws. */
export const KEPT = 44;
/** Iterations are put away this many at a time: each time costs a walk over all of them. */
export const AT_ONCE = 16;
/** Kept on each side of an iteration that somebody chose. */
const NEAR = 24;

const EMPTY: Scope = { steps: {} };

/** The state without the insides of iterations that lie far behind. The same state where there is nothing to put away. */
export function prune(state: RunState, choice: Choice): RunState {
  let pruned = state;
  for (const loop of outerLoops(state)) {
    const oldest = loop.iterations.length - KEPT;
    // The first always stays: it names the rows of the timeline, and is what others are compared with.
    if (oldest <= AT_ONCE || !canGo(loop.iterations[oldest - AT_ONCE])) continue;
    pruned = putAway(pruned, loop, oldest, choice[loop.nodeId]);
  }
  return pruned;
}

const canGo = (iteration: Iteration | undefined): iteration is Iteration =>
  iteration !== undefined && iteration.status !== "running" && iteration.unread !== true;

function putAway(
  state: RunState,
  loop: LoopRecord,
  oldest: number,
  chosen: number | "live" | undefined,
): RunState {
  const goes = (index: number) =>
    index > 0 && index < oldest && (typeof chosen !== "number" || Math.abs(index + 1 - chosen) > NEAR);
  const without = atLoop(state, loop.path, (record) => ({
    ...record,
    iterations: record.iterations.map((iteration, i) =>
      goes(i) && canGo(iteration) ? { ...iteration, scope: EMPTY, unread: true } : iteration,
    ),
  }));
  return { ...without, log: state.log.filter((event) => !goes(indexOf(event, loop.path))) };
}

/** The iteration of the loop, from 0, that an event is about; −1 where it is about none. */
function indexOf(event: RunEvent, loop: string): number {
  if (!("path" in event)) return -1;
  if (event.path === loop) return "index" in event ? (event.index ?? -1) : -1;
  if (!event.path.startsWith(`${loop}[`)) return -1;
  return Number.parseInt(event.path.slice(loop.length + 1), 10) - 1;
}
