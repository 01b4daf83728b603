// The unknown names in a document's text fields, taken from the text spans of its problems.
import type { FlowDoc, Problem } from "../ipc/generated/bindings";

/** The unknown names as written, keyed by node. A node without unknown names has no entry. */
export type UnknownNames = { readonly [node: string]: readonly string[] };

/**
 * Returns the unknown names. `document` must be the analysed one, since the spans refer to its text fields.
 */
export function unknownNamesIn(document: FlowDoc, problems: readonly Problem[]): UnknownNames {
  const data = new Map(document.nodes.map((node) => [node.id, node.data]));
  const names: Record<string, string[]> = {};
  for (const { code, node, place, span } of problems) {
    if (code !== "unknown_reference" || node === null || place === null || !span) continue;
    const text = fieldAt(data.get(node), place);
    if (typeof text !== "string") continue;
    names[node] ??= [];
    names[node].push(text.slice(span.from, span.to));
  }
  return names;
}

/** Returns the value of a field from its path: `template`, `branches[0].when`. */
function fieldAt(data: unknown, place: string): unknown {
  const steps = place.split(/[.[\]]+/).filter((step) => step !== "");
  return steps.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, step)
        ? (value as Record<string, unknown>)[step]
        : undefined,
    data,
  );
}
