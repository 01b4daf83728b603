// The warnings of a run as displayed: the same text from several nodes appears once.
import type { Warning } from "../../ipc/generated/bindings";

export interface ShownWarning {
  readonly code: string;
  readonly message: string;
  /** The locations of the nodes with this warning, in the order they reported it. */
  readonly nodes: readonly string[];
}

export function shownWarnings(warnings: readonly Warning[]): ShownWarning[] {
  const shown = new Map<string, { code: string; message: string; nodes: string[] }>();
  for (const { code, message, node } of warnings) {
    const key = `${code}:${message}`;
    const known = shown.get(key) ?? { code, message, nodes: [] };
    if (node !== null && !known.nodes.includes(node)) known.nodes.push(node);
    shown.set(key, known);
  }
  return [...shown.values()];
}
