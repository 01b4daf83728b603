// What the status of a run implies about what can still happen.
import type { RunStatus } from "../../ipc/generated/bindings";

/** Returns whether a run has ended and cannot continue. */
export function isOver(status: RunStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** Returns whether new events of a run may arrive without any action by the user. */
export function isActive(status: RunStatus): boolean {
  return status === "queued" || status === "running";
}

/**
 * Returns whether a run has neither ended nor been interrupted: it runs, waits for a worker, or is suspended
 * until the user acts.
 */
export function isUnfinishedStatus(status: RunStatus | null): boolean {
  return status === "running" || status === "waiting" || status === "paused" || status === "queued";
}
