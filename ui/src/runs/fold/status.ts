// What the status of a run says of what is still to come.
import type { RunStatus } from "../../ipc/generated/bindings";

/** Whether a run has ended for good. */
export function isOver(status: RunStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** Whether events of a run may come although nobody does anything. */
export function isActive(status: RunStatus): boolean {
  return status === "queued" || status === "running";
}

/** Neither ended nor interrupted: it runs, waits for a worker, or is suspended until a person does something. */
export function isUnfinishedStatus(status: RunStatus | null): boolean {
  return status === "running" || status === "waiting" || status === "paused" || status === "queued";
}
