// Event paths: `outer[1]/inner[4]/call` names a step by the loops and iterations around it.

import { flowAt } from "../../document/inside";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { titleOf } from "../../kernels/node-title";

export type Segment = { readonly id: string; readonly iteration: number | null };

/**
 * Splits a path into its segments. If the event names a node, pass its id as `nodeId`: an id that contains a
 * slash or a bracket is then parsed correctly.
 */
export function parsePath(path: string, nodeId: string | null = null): Segment[] {
  if (path === "") return [];
  if (nodeId !== null && path === nodeId) return [{ id: nodeId, iteration: null }];
  if (nodeId !== null && path.endsWith(`/${nodeId}`)) {
    return [...parsePath(path.slice(0, -(nodeId.length + 1))), { id: nodeId, iteration: null }];
  }
  return path.split("/").map((part) => {
    const match = /^(.*)\[(\d+)\]$/.exec(part);
    return match ? { id: match[1] ?? part, iteration: Number(match[2]) } : { id: part, iteration: null };
  });
}

/** Returns the path of a node inside the given loops and iterations. */
export function stepPath(around: readonly Segment[], nodeId: string): string {
  const parts = around.map((s) => (s.iteration === null ? s.id : `${s.id}[${s.iteration}]`));
  return [...parts, nodeId].join("/");
}

/** Returns the key of the flow at the end of the breadcrumbs, as used in `RunState.within`. */
export const flowKey = (breadcrumbs: readonly string[]): string => breadcrumbs.join("/");

/**
 * Formats a path for people: "Draft, iteration 2" for `refine[2]/draft`; if the document does not contain the
 * node, "iteration 2", or "a step" outside loops.
 */
export function placeWords(at: string, document: FlowDoc | null = null): string {
  const segments = parsePath(at);
  const iteration = segments.findLast((segment) => segment.iteration !== null)?.iteration;
  const way = segments.slice(0, -1).flatMap(({ id, iteration }) => (iteration === null ? [id] : []));
  const id = segments.at(-1)?.id;
  const node = document && flowAt(document, way)?.nodes.find((one) => one.id === id);
  if (!node) return iteration == null ? "a step" : `iteration ${iteration}`;
  return iteration == null ? titleOf(node) : `${titleOf(node)}, iteration ${iteration}`;
}
