// What the rest of the window reads of a run. The canvas draws cards and badges from `useNodeRun` and
// `useLoopRun`; both answer for the chosen iteration, so a card and the timeline never disagree.
import type { ExitReason, FlowDoc, Json, RunStatus, Usage } from "../ipc/generated/bindings";

export type NodeRunState = "idle" | "queued" | "running" | "done" | "skipped" | "failed" | "waiting";

export interface NodeRun {
  state: NodeRunState;
  durationMs: number | null;
  /** Streaming text while running, then a preview of the value. */
  preview: string | null;
  streaming: boolean;
  /** For a node in a loop, the iteration shown (from 1); for a Loop or Exit, the loop's own count. */
  iteration: number | null;
  iterationTotal: number | null;
  /** Exit nodes: whether a value reached it; null while undecided. */
  exitReached: boolean | null;
  exitReason: ExitReason | null;
  usage: Usage | null;
  /** An error's message, or what a waiting node asks. */
  message: string | null;
  skippedReason: string | null;
}

export interface LoopRun {
  state: NodeRunState;
  /** Iterations that have begun, and the most there can be. */
  current: number;
  total: number | null;
  /** The iteration the window shows: chosen, or the current one. */
  shown: number | null;
  live: boolean;
  exitReason: ExitReason | null;
  exhausted: boolean | null;
}

export interface ActiveRun {
  runId: string | null;
  status: RunStatus | null;
  startedAt: number | null;
  durationMs: number | null;
  usage: Usage | null;
}

export const idleNode: NodeRun = {
  state: "idle",
  durationMs: null,
  preview: null,
  streaming: false,
  iteration: null,
  iterationTotal: null,
  exitReached: null,
  exitReason: null,
  usage: null,
  message: null,
  skippedReason: null,
};

export function useNodeRun(_nodeId: string): NodeRun {
  return idleNode;
}

export function useLoopRun(_loopId: string): LoopRun | null {
  return null;
}

/** The run that the editor shows, for the top bar and the status bar. */
const noRun: ActiveRun = { runId: null, status: null, startedAt: null, durationMs: null, usage: null };
export function useActiveRun(): ActiveRun {
  return noRun;
}

/** Starts a run of the document and shows it; called by the run command after its checks. */
export async function startRun(
  _document: FlowDoc,
  _path: string | null,
  _inputs: Record<string, Json>,
): Promise<void> {}

export async function stopRun(): Promise<void> {}
