// Finds the socket at which a wire is drawn. A file may omit the handle of a wire, call it `input`, `output`
// or `data`, or name a branch by its index. If the name is unknown, the wire is drawn at the primary socket
// and the analysis reports a problem.
import type { HandleInfo } from "../ipc/generated/bindings";

export function matchHandle(
  name: string | null | undefined,
  handles: readonly HandleInfo[],
): HandleInfo | null {
  const exact = handles.find((handle) => handle.name === name);
  if (exact) return exact;
  const branch = /^branch-(\d+)$/.exec(name ?? "");
  if (branch) {
    const byIndex = handles[Number(branch[1])];
    if (byIndex) return byIndex;
  }
  return handles.find((handle) => handle.primary) ?? handles[0] ?? null;
}
