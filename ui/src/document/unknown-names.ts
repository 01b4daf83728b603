// The unknown names in a document's texts, taken from the spans of the problems.
import type { FlowDoc, Problem } from "../ipc/generated/bindings";

/** The unknown names by node, as written. A node without any has no entry. */
export type UnknownNames = { readonly [node: string]: readonly string[] };

/** Returns the unknown names. `document` is the analysed one, whose texts the spans refer to. */
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

/** Returns the value of a field by its place: `template`, `branches[0].when`. */
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
