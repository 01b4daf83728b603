// Where a run is: on this computer, or in a shared store. The id of a run in a store begins with the store's name.
import type { RunStatus } from "../ipc/generated/bindings";

/** The store of a run, by the run's id: `work/0192…` is in `work`. Null: it is on this computer. */
export function storeOf(runId: string): string | null {
  const end = runId.indexOf("/");
  return end < 0 ? null : runId.slice(0, end);
}

/** Whether a run has ended for good. */
export function isOver(status: RunStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** Whether events of a run may come although nobody does anything. */
export function isActive(status: RunStatus): boolean {
  return status === "queued" || status === "running";
}
