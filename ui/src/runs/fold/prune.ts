// Limits how much of a long run the window keeps. For a long loop, it keeps the first iteration, the newest
// ones and the selected ones. If there are many loops, it keeps the iterations of the newest loops.
// Everything else stays in the store and is read again when it is shown, as for a past run.
import type { RunEvent } from "../../ipc/generated/bindings";
import type { TimelineLoop } from "../../session/chosen-iteration";
import type { Choice } from "../view/view";
import { type Iteration, type LoopRecord, NO_USAGE, type RunState, type Scope } from "./model";
import { atLoop, outerLoops } from "./past";

/**
 * The number of newest iterations of a loop that are kept complete: slightly more than the timeline draws.
 */
export const MAX_WHOLE_ITERATIONS = 44;
/**
 * The number of iterations evicted at a time. Evicting in batches is cheaper, because each eviction walks
 * over all iterations.
 */
export const AT_ONCE = 16;
/** The number of iterations kept on each side of a selected one. */
const KEPT_AROUND_CHOSEN = 24;
/**
 * The number of complete iterations kept over all loops. Above it, loops that have ended keep only
 * `MIN_WHOLE_AT_END`, oldest loop first.
 */
export const MAX_WHOLE_IN_ALL = 160;
/**
 * The number of iterations a loop keeps when it has ended: the last iteration, which the canvas shows, and
 * the iteration that it is compared with.
 */
export const MIN_WHOLE_AT_END = 2;

const EMPTY: Scope = { steps: {} };

/**
 * Returns the state without the contents of older iterations, or the same object if there is nothing to
 * evict.
 */
export function pruneRun(state: RunState, choice: Choice, timelineLoop: TimelineLoop | null): RunState {
  const loops = outerLoops(state);
  let pruned = state;
  for (const loop of loops) {
    const oldest = loop.iterations.length - MAX_WHOLE_ITERATIONS;
    // The first iteration always stays: it names the timeline rows and is the base of comparisons.
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

/**
 * Returns an iteration without its contents. The empty values are shared objects, because there may be tens
 * of thousands of iterations.
 */
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

/**
 * Returns the index, counted from 0, of the loop's iteration that contains an event; −1 if no iteration
 * contains it.
 */
function indexOf(event: RunEvent, loop: string): number {
  if (!("path" in event)) return -1;
  if (event.path === loop) return "index" in event ? (event.index ?? -1) : -1;
  if (!event.path.startsWith(`${loop}[`)) return -1;
  return Number.parseInt(event.path.slice(loop.length + 1), 10) - 1;
}
