// Event paths: `outer[1]/inner[4]/call` names a step by the loops and iterations around it.

import { flowAt } from "../../document/inside";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { titleOf } from "../../kernels/node-title";

export type Segment = { readonly id: string; readonly iteration: number | null };

/**
 * Splits a path into its segments. The last one is given as `nodeId` where the event names it, so that an id
 * which itself holds a slash or a bracket still reads right.
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

/** The path of a node, given the loops around it and the iteration of each. */
export function stepPath(around: readonly Segment[], nodeId: string): string {
  const parts = around.map((s) => (s.iteration === null ? s.id : `${s.id}[${s.iteration}]`));
  return [...parts, nodeId].join("/");
}

/** The key of the flow that the breadcrumbs lead to. */
export const flowKey = (breadcrumbs: readonly string[]): string => breadcrumbs.join("/");

/** "Draft, iteration 2" for `refine[2]/draft`; "iteration 2" or "a step" where the document does not have the node. */
export function placeWords(at: string, document: FlowDoc | null = null): string {
  const segments = parsePath(at);
  const iteration = segments.findLast((segment) => segment.iteration !== null)?.iteration;
  const way = segments.slice(0, -1).flatMap(({ id, iteration }) => (iteration === null ? [id] : []));
  const id = segments.at(-1)?.id;
  const node = document && flowAt(document, way)?.nodes.find((one) => one.id === id);
  if (!node) return iteration == null ? "a step" : `iteration ${iteration}`;
  return iteration == null ? titleOf(node) : `${titleOf(node)}, iteration ${iteration}`;
}
