// Describes the differences between two versions of a flow to a user who must choose one. Pure.
import type { FlowDoc, FlowNode, Json } from "../ipc/generated/bindings";
import { titleOf } from "./node-title";

/** Returns whether two JSON values are equal, ignoring the order of an object's fields. */
export function sameJson(a: Json, b: Json): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [x, y] = [a as Record<string, Json>, b as Record<string, Json>];
  const keys = Object.keys(x);
  return keys.length === Object.keys(y).length && keys.every((key) => key in y && sameJson(x[key], y[key]));
}

/**
 * Returns the names of the differing fields of a node's data, preceded by "kind" if its kind differs, and
 * whether the node moved.
 */
function nodeChanges(before: FlowNode, after: FlowNode): { fields: string[]; moved: boolean } {
  const keys = new Set([...Object.keys(before.data ?? {}), ...Object.keys(after.data ?? {})]);
  const fields = [...keys].filter((key) => !sameJson(before.data?.[key], after.data?.[key]));
  if (before.type !== after.type) fields.unshift("kind");
  return { fields, moved: !sameJson(before.position, after.position) };
}

const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

/** The maximum number of names listed. The others are counted. */
const NAMES = 6;

function list(names: readonly string[]): string {
  const rest = names.length - NAMES;
  return rest > 0 ? `${names.slice(0, NAMES).join(", ")} and ${rest} more` : names.join(", ");
}

/**
 * Returns a line for each kind of difference between `before` and `after`; empty if there are no differences.
 */
export function differences(before: FlowDoc, after: FlowDoc): string[] {
  const old = new Map((before.nodes ?? []).map((node) => [node.id, node]));
  const added: string[] = [];
  const changed: string[] = [];
  let moved = 0;
  for (const node of after.nodes ?? []) {
    const was = old.get(node.id);
    old.delete(node.id);
    if (!was) added.push(titleOf(node));
    else {
      const change = nodeChanges(was, node);
      if (change.fields.length > 0) changed.push(`${titleOf(node)} (${list(change.fields)})`);
      else if (change.moved) moved += 1;
    }
  }
  const removed = [...old.values()].map(titleOf);
  const wires = wireChanges(before, after);
  const aside = new Set(["nodes", "edges", "viewport", "schemaVersion"]);
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !aside.has(key) && !sameJson(before[key], after[key]),
  );
  return [
    changed.length > 0 && `Changed: ${list(changed)}`,
    added.length > 0 && `Added: ${list(added)}`,
    removed.length > 0 && `Removed: ${list(removed)}`,
    wires,
    moved > 0 && `Moved: ${count(moved, "node")}`,
    fields.length > 0 && `Changed in the workflow: ${list(fields)}`,
  ].filter((line): line is string => typeof line === "string");
}

function wireChanges(before: FlowDoc, after: FlowDoc): string | null {
  const ends = (flow: FlowDoc) =>
    new Set(
      (flow.edges ?? []).map((e) =>
        [e.source, e.sourceHandle ?? "", e.target, e.targetHandle ?? ""].join(">"),
      ),
    );
  const [was, is] = [ends(before), ends(after)];
  const added = [...is].filter((wire) => !was.has(wire)).length;
  const removed = [...was].filter((wire) => !is.has(wire)).length;
  const parts = [
    added > 0 && `${count(added, "wire")} added`,
    removed > 0 && `${count(removed, "wire")} removed`,
  ];
  const summary = parts.filter(Boolean).join(", ");
  return summary === "" ? null : summary;
}
