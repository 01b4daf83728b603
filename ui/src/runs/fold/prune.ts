// What the window keeps of a run that is under way for hours: of long loops the newest iterations, the first, and those that
// somebody looks at; of many loops those of the newest. The rest is in the store, and is read again when it is shown, as
// that of a past run is.
import type { RunEvent } from "../../ipc/generated/bindings";
import type { TimelineLoop } from "../../session/chosen-iteration";
import type { Choice } from "../view/view";
import { type Iteration, type LoopRecord, NO_USAGE, type RunState, type Scope } from "./model";
import { atLoop, outerLoops } from "./past";

/** The newest iterations of a loop that are kept whole: somewhat more than the timeline draws. */
export const MAX_WHOLE_ITERATIONS = 44;
/** Iterations are evicted this many at a time: each time costs a walk over all of them. */
export const AT_ONCE = 16;
/** Kept on each side of an iteration that somebody chose. */
const KEPT_AROUND_CHOSEN = 24;
/** So many are kept whole in all loops together. Beyond that, loops that have ended keep `MIN_WHOLE_AT_END`, the oldest first. */
export const MAX_WHOLE_IN_ALL = 160;
/** The last iteration, which the canvas shows, and the one that it is compared with. */
export const MIN_WHOLE_AT_END = 2;

const EMPTY: Scope = { steps: {} };

/** The state without the insides of iterations that lie far behind. The same state where there is nothing to evict. */
export function pruneRun(state: RunState, choice: Choice, timelineLoop: TimelineLoop | null): RunState {
  const loops = outerLoops(state);
  let pruned = state;
  for (const loop of loops) {
    const oldest = loop.iterations.length - MAX_WHOLE_ITERATIONS;
    // The first always stays: it names the rows of the timeline, and is what others are compared with.
    if (oldest <= AT_ONCE || !canGo(loop.iterations[oldest - AT_ONCE])) continue;
    pruned = evictIterations(pruned, loop, oldest, choice[loop.nodeId]);
  }
  if (loops.length < 2) return pruned;
  let surplus = loops.reduce((sum, loop) => sum + wholeOf(loop), -MAX_WHOLE_IN_ALL);
  for (const loop of loops) {
    if (surplus <= 0) break;
    const oldest = loop.iterations.length - MIN_WHOLE_AT_END;
    if (loop.exitReason === null || oldest <= 1 || !canGo(loop.iterations[oldest - 1])) continue;
    const isLookedAt = timelineLoop?.runId === state.runId && timelineLoop.path === loop.path;
    if (isLookedAt || typeof choice[loop.nodeId] === "number") continue;
    surplus -= wholeOf(loop) - MIN_WHOLE_AT_END;
    pruned = evictIterations(pruned, loop, oldest, undefined);
  }
  return pruned;
}

const wholeOf = (loop: LoopRecord): number =>
  loop.iterations.reduce((count, iteration) => (iteration.unread === true ? count : count + 1), 0);

const canGo = (iteration: Iteration | undefined): iteration is Iteration =>
  iteration !== undefined && iteration.status !== "running" && iteration.unread !== true;

function evictIterations(
  state: RunState,
  loop: LoopRecord,
  oldest: number,
  chosen: number | "live" | undefined,
): RunState {
  const goes = (index: number) =>
    index > 0 &&
    index < oldest &&
    (typeof chosen !== "number" || Math.abs(index + 1 - chosen) > KEPT_AROUND_CHOSEN);
  const without = atLoop(state, loop.path, (record) => ({
    ...record,
    iterations: record.iterations.map((iteration, i) =>
      goes(i) && canGo(iteration) ? resultOf(iteration) : iteration,
    ),
  }));
  return { ...without, log: state.log.filter((event) => !goes(indexOf(event, loop.path))) };
}

/** An iteration without its inside. Written out, and without what tells nothing: there may be tens of thousands. */
function resultOf(iteration: Iteration): Iteration {
  const { usage } = iteration;
  return {
    number: iteration.number,
    status: iteration.status,
    startedAt: iteration.startedAt,
    endedAt: iteration.endedAt,
    durationMs: iteration.durationMs,
    usage: usage.calls === 0 && usage.cost_usd === 0 ? NO_USAGE : usage,
    similarity: iteration.similarity,
    conditionResult: iteration.conditionResult,
    score: iteration.score,
    inputPreview: "",
    resultPreview: iteration.resultPreview,
    reachedExit: iteration.reachedExit,
    scope: EMPTY,
    unread: true,
  };
}

/** The iteration of the loop, from 0, that an event is about; −1 where it is about none. */
function indexOf(event: RunEvent, loop: string): number {
  if (!("path" in event)) return -1;
  if (event.path === loop) return "index" in event ? (event.index ?? -1) : -1;
  if (!event.path.startsWith(`${loop}[`)) return -1;
  return Number.parseInt(event.path.slice(loop.length + 1), 10) - 1;
}
