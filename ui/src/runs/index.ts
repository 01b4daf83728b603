// What the rest of the window shows of a run. The canvas draws cards and badges from `useNodeRun` and
// `useLoopRun`. Both follow the chosen iteration, so a card and the timeline never disagree.
import { useMemo } from "react";
import { useShallow } from "zustand/react/shallow";
import { useAnalysis } from "../document/analysis";
import { useDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import type { Analysis, RunStatus, Usage } from "../ipc/generated/bindings";
import { titleOf } from "../kernels/node-title";
import { useChosenIteration } from "../session/chosen-iteration";
import { useSession } from "../session/session";
import { isPausing, type RunState, ranFor } from "./fold/model";
import { isUnfinished, shownRun, useRuns } from "./session/store";
import { runHere } from "./view/level";
import {
  type LoopRun,
  loopRun,
  type NodeFacts,
  type NodeRun,
  type NodeRunState,
  nodeRun,
  stateOfAll,
} from "./view/node-run";

export { idleNode, type LoopRun, type NodeRun, type NodeRunState } from "./view/node-run";

export interface ActiveRun {
  runId: string | null;
  status: RunStatus | null;
  /** Whether the run is being paused while running steps still finish. */
  pausing: boolean;
  /**
   * The start time of the run in milliseconds since the epoch, moved forward by the total length of its
   * pauses; null if there is no run.
   */
  since: number | null;
  /** The total running time in milliseconds; null while the run is running, or if there is no run. */
  ranMs: number | null;
  usage: Usage | null;
}

/** Returns what the document says about a node of this type, such as the loop around it. */
function factsOf(nodeId: string, type: string, { regions, nodes }: Analysis): NodeFacts {
  const region = nodes[nodeId]?.region ?? null;
  const shape = useKinds.getState().byType.get(type)?.shape;
  return {
    annotation: shape === "annotation",
    branching: shape === "branching",
    closes: regions.find((one) => one.end === nodeId)?.start ?? null,
    region: region === nodeId ? null : region,
  };
}

function useNodeFacts(nodeId: string, type: string): NodeFacts {
  return useAnalysis(useShallow((s) => factsOf(nodeId, type, s.analysis)));
}

function useEditing(): boolean {
  return useSession((s) => s.layout === "edit");
}

/**
 * Returns the run that the canvas draws; null if there is none. While editing, only a run that can still
 * continue is drawn.
 */
function runOnCanvas(s: Parameters<typeof shownRun>[0], editing: boolean): RunState | null {
  const view = runHere(s);
  return editing && !isUnfinished(view) ? null : (view?.state ?? null);
}

const TO_COME: ReadonlySet<NodeRunState> = new Set(["queued"]);
const OPEN: ReadonlySet<NodeRunState> = new Set(["queued", "running", "waiting"]);

/**
 * Returns the state of a node at the shown iteration. The component re-renders only when this node changes.
 */
export function useNodeRun(nodeId: string, type: string): NodeRun {
  const choice = useChosenIteration((s) => s.chosen);
  const facts = useNodeFacts(nodeId, type);
  const editing = useEditing();
  return useRuns(useShallow((s) => nodeRun(runOnCanvas(s, editing), choice, nodeId, facts)));
}

/**
 * Returns the titles of the nodes whose values this node waits for: those wired to its inputs that have not
 * finished in the shown iteration.
 */
export function useAwaited(nodeId: string): readonly string[] {
  const choice = useChosenIteration((s) => s.chosen);
  const editing = useEditing();
  const { nodes, edges } = useDocument((s) => s.document);
  const analysis = useAnalysis((s) => s.analysis);
  // Only the run changes while it is running, so the rest is memoized.
  const before = useMemo(() => {
    const region = analysis.nodes[nodeId]?.region ?? null;
    const sources = new Set(edges.filter(({ target }) => target === nodeId).map(({ source }) => source));
    return nodes.flatMap((node) => {
      // Values that return to a loop come from its own body.
      const within = analysis.nodes[node.id]?.region === nodeId && node.id !== nodeId;
      if (!sources.has(node.id) || within) return [];
      const facts = factsOf(node.id, node.type, analysis);
      // The enclosing loop supplies the input when an iteration begins, and keeps running, so only the start
      // of the iteration is awaited.
      return [{ id: node.id, title: titleOf(node), facts, open: node.id === region ? TO_COME : OPEN }];
    });
  }, [nodeId, nodes, edges, analysis]);
  return useRuns(
    useShallow((s) => {
      const run = runOnCanvas(s, editing);
      const awaited = before.filter(({ id, facts, open }) => open.has(nodeRun(run, choice, id, facts).state));
      return awaited.map(({ title }) => title);
    }),
  );
}

/** Returns the combined state of several nodes that are drawn as one. */
export function useStateOfAll(nodeIds: readonly string[]): NodeRunState {
  const choice = useChosenIteration((s) => s.chosen);
  const editing = useEditing();
  const nodes = useDocument((s) => s.document.nodes);
  const analysis = useAnalysis((s) => s.analysis);
  // Only the run changes while it is running, so the rest is memoized.
  const facts = useMemo(() => {
    const types = new Map(nodes.map((node) => [node.id, node.type]));
    const known = nodeIds.map((id) => [id, factsOf(id, types.get(id) ?? "", analysis)] as const);
    return known.filter(([, { annotation }]) => !annotation);
  }, [nodeIds, nodes, analysis]);
  return useRuns((s) => {
    const run = runOnCanvas(s, editing);
    return run === null
      ? "idle"
      : stateOfAll(facts.map(([id, fact]) => nodeRun(run, choice, id, fact).state));
  });
}

/** Returns the state and the iteration count of a loop; null until the loop has started. */
export function useLoopRun(loopId: string): LoopRun | null {
  const choice = useChosenIteration((s) => s.chosen);
  const editing = useEditing();
  return useRuns(useShallow((s) => loopRun(runOnCanvas(s, editing), choice, loopId)));
}

/** Returns the run that the editor shows, for the top bar and the status bar. */
export function useActiveRun(): ActiveRun {
  return useRuns(
    useShallow((s) => {
      const run = shownRun(s)?.state ?? null;
      return {
        runId: run?.runId ?? null,
        status: run?.status ?? null,
        since: run?.since || null,
        pausing: run !== null && isPausing(run),
        ranMs: run === null || run.status === "running" || isPausing(run) ? null : ranFor(run, run.lastAt),
        usage: run?.usage ?? null,
      };
    }),
  );
}

export async function stopRun(): Promise<void> {
  await useRuns.getState().stop();
}
