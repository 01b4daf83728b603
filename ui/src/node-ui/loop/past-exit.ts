// Finds loops that run all their iterations although a branch leads to their Exit. Describes in which
// iteration of a run a value reached that Exit.
import { useMemo } from "react";
import { useAnalysis } from "../../document/analysis";
import { useKinds } from "../../document/kinds";
import type { Analysis, FlowDoc, KindInfo } from "../../ipc/generated/bindings";
import type { LoopRecord } from "../../runs/fold/model";
import { runWithLoops, useRunHere } from "../../runs/view/level";
import { useChoice } from "../../runs/view/shown";
import { shownLoop } from "../../runs/view/view";
import { decidingBranches } from "./exit-evaluator";

export type PastExit = {
  /** The number of the first iteration in which a value reached Exit. */
  readonly first: number;
  readonly total: number | null;
  /** The branches that lead to Exit. */
  readonly branches: readonly string[];
};

type Kinds = ReadonlyMap<string, Pick<KindInfo, "shape" | "outputs" | "exits">>;

/**
 * Returns the branches that lead to the Exit of a loop that does not stop there; empty for any other loop.
 */
export function ignoredBranches(
  document: FlowDoc,
  { regions, nodes }: Pick<Analysis, "regions" | "nodes">,
  kinds: Kinds,
  loopId: string,
): readonly string[] {
  const node = document.nodes.find(({ id }) => id === loopId);
  const region = regions.find(({ start }) => start === loopId);
  // A list processes all its items and has no exit condition, so it is left out.
  if (!node || region?.repeats !== "loop") return NONE;
  const chosen = node.data.exitCondition;
  const by = kinds.get(node.type)?.exits.find(({ value }) => value === chosen);
  if (chosen !== undefined && chosen !== null && by?.reason !== "max_iterations") return NONE;
  const outputs = (id: string) => nodes[id]?.outputs ?? [];
  const found = decidingBranches(document, region, kinds, outputs, regions);
  return found.length === 0 ? NONE : [...new Set(found.map(({ handle }) => handle))];
}

const NONE: readonly string[] = [];

/** Returns the number of the first loaded iteration in which a value reached Exit; null if there is none. */
const firstReached = (loop: LoopRecord | null): number | null =>
  loop?.iterations.find(({ reachedExit }) => reachedExit)?.number ?? null;

/**
 * Describes a loop that continued after a value had reached its Exit. Returns null if the loop stops at its
 * Exit, or if no value reached it.
 */
export function usePastExit(loopId: string): PastExit | null {
  const choice = useChoice();
  const document = useRunHere((view) => view?.document ?? null, runWithLoops);
  const loop = (view: Parameters<Parameters<typeof useRunHere>[0]>[0]) =>
    view === null ? null : shownLoop(view.state, choice, loopId);
  const first = useRunHere((view) => firstReached(loop(view)), runWithLoops);
  const total = useRunHere((view) => loop(view)?.total ?? null, runWithLoops);
  const analysis = useAnalysis((s) => s.analysis);
  const kinds = useKinds((s) => s.byType);
  const branches = useMemo(
    () => (document === null || first === null ? NONE : ignoredBranches(document, analysis, kinds, loopId)),
    [document, first, analysis, kinds, loopId],
  );
  return useMemo(
    () => (first === null || branches.length === 0 ? null : { first, total, branches }),
    [first, total, branches],
  );
}

/** Describes a loop that continued past its Exit, such as "reached in iteration 2; runs all 3". */
export const pastExitWords = ({ first, total }: PastExit): string =>
  `reached in iteration ${first}; runs all ${total ?? "iterations"}`;

/** Explains in a sentence why the loop continued. */
export const pastExitReason = ({ branches }: PastExit): string =>
  `${branches.map((branch) => `“${branch}”`).join(" and ")} ${branches.length > 1 ? "lead" : "leads"} to Exit but ${
    branches.length > 1 ? "do" : "does"
  } not stop this loop, because its exit condition is Max iterations.`;
