// The pauses of a loop between two iterations. Pure.
import type { LoopRecord } from "./model";

/** The shortest pause shown, in milliseconds. Anything shorter is the engine's own overhead. */
const MIN_PAUSE_MS = 200;

/**
 * Returns the time between the previous iteration and this one, in milliseconds; null if there was no pause.
 * `now` is the end of the pause for an iteration that has not started yet; pass null if it cannot start any
 * more.
 */
export function pauseBefore(loop: LoopRecord, number: number, now: number | null): number | null {
  const ended = loop.iterations[number - 2]?.endedAt ?? null;
  const begun =
    loop.iterations[number - 1]?.startedAt ?? (number === loop.iterations.length + 1 ? now : null);
  if (ended === null || begun === null) return null;
  return begun - ended < MIN_PAUSE_MS ? null : begun - ended;
}
