// Reads a run through the chosen iterations: the pass of each node that the window shows. Pure.
import type { Iteration, LoopRecord, RunState, Scope, Step } from "../fold/model";
import { type Segment, stepPath } from "../fold/path";

/**
 * The chosen iteration per loop, counted from 1. A loop with "live", or without an entry, follows its newest
 * iteration.
 */
export type Choice = { readonly [loopId: string]: number | "live" };

/** The location of a node: the scope that contains the node, and the iterations around that scope. */
export type Place = {
  readonly scope: Scope;
  readonly around: readonly Segment[];
  readonly iteration: Iteration | null;
};

/**
 * Returns the iteration of a loop to show: the chosen one if it exists, otherwise the newest; null before the
 * first iteration.
 */
export function shownIteration(loop: LoopRecord, choice: Choice): Iteration | null {
  const newest = loop.iterations[(loop.current || loop.iterations.length) - 1] ?? null;
  const chosen = choice[loop.nodeId];
  return typeof chosen === "number" ? (loop.iterations[chosen - 1] ?? newest) : newest;
}

/**
 * Returns the location of a node at the shown iteration of each loop around it. Null if the run does not know
 * the node, or if one of these loops has no iteration yet.
 */
export function placeOf(run: RunState, choice: Choice, nodeId: string): Place | null {
  const chain = run.chains[nodeId];
  if (chain === undefined) return null;
  let place: Place = { scope: run.root, around: run.prefix, iteration: null };
  for (const loopId of chain) {
    const loop = place.scope.steps[loopId]?.loop;
    const iteration = loop ? shownIteration(loop, choice) : null;
    if (iteration === null) return null;
    place = {
      scope: iteration.scope,
      around: [...place.around, { id: loopId, iteration: iteration.number }],
      iteration,
    };
  }
  return place;
}

export function shownStep(run: RunState, choice: Choice, nodeId: string): Step | null {
  return placeOf(run, choice, nodeId)?.scope.steps[nodeId] ?? null;
}

export function shownLoop(run: RunState, choice: Choice, loopId: string): LoopRecord | null {
  return shownStep(run, choice, loopId)?.loop ?? null;
}

/** Returns the id of the innermost loop around a node; null for a node of the workflow itself. */
export function loopAround(run: RunState, nodeId: string): string | null {
  return run.chains[nodeId]?.at(-1) ?? null;
}

/** Returns a node's step in another iteration of its innermost loop; null if it has no step there. */
export function stepIn(run: RunState, choice: Choice, nodeId: string, iteration: number): Step | null {
  const loopId = loopAround(run, nodeId);
  if (loopId === null) return null;
  return shownLoop(run, choice, loopId)?.iterations[iteration - 1]?.scope.steps[nodeId] ?? null;
}

/**
 * Returns the path under which the store keeps the shown execution of a node. The node need not have run.
 * Null if a loop around the node has no iteration yet.
 */
export function shownPath(run: RunState, choice: Choice, nodeId: string): string | null {
  const place = placeOf(run, choice, nodeId);
  return place && stepPath(place.around, nodeId);
}

/** Returns whether a loop shows its newest iteration because no other is chosen. */
export function isFollowing(choice: Choice, loopId: string): boolean {
  return typeof choice[loopId] !== "number";
}
