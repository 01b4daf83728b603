// The pauses that a loop makes between two iterations. Pure.
import type { LoopRecord } from "./model";

/** A shorter one is the engine's own, in milliseconds. */
const MIN_PAUSE_MS = 200;

/**
 * What passed between the iteration before and this one, in milliseconds; null where there was no pause. `now` counts for one
 * that has not begun and can still come, null where none can.
 */
export function pauseBefore(loop: LoopRecord, number: number, now: number | null): number | null {
  const ended = loop.iterations[number - 2]?.endedAt ?? null;
  const begun =
    loop.iterations[number - 1]?.startedAt ?? (number === loop.iterations.length + 1 ? now : null);
  if (ended === null || begun === null) return null;
  return begun - ended < MIN_PAUSE_MS ? null : begun - ended;
}
