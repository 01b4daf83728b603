// The places where the shown run can be forked, and the changes that a fork makes. In a loop, the chosen
// iterations determine the place.
import { create } from "zustand";
import { isGivable, useKinds } from "../../document/kinds";
import type { FieldEdit, FlowDoc, FlowNode, Json, NullableValue, Usage } from "../../ipc/generated/bindings";
import { titleIn } from "../../kernels/node-title";
import { useChosenIteration } from "../../session/chosen-iteration";
import { useSession } from "../../session/session";
import { NotAllowed } from "../../trust/store";
import type { RunState } from "../fold/model";
import { type Segment, stepPath } from "../fold/path";
import { runHere, runWithLoops } from "../view/level";
import { type Choice, placeOf, shownIteration, shownLoop } from "../view/view";
import { sessionOf, useRuns } from "./store";

/** A step or an iteration at which a run can be forked, with its displayed name. */
export type ForkTarget = {
  readonly runId: string;
  readonly title: string;
  /** The step to fork at; null if the fork starts at an iteration. */
  readonly step: { readonly path: string; readonly nodeId: string; readonly usage: Usage } | null;
  /** Whether the step's result can be replaced by a value. */
  readonly givable: boolean;
  /** The iteration that contains the step, or at which the fork starts; null outside loops. */
  readonly iteration: { readonly path: string; readonly number: number } | null;
  /**
   * The path of the iteration after the last one of a finished loop, where the fork continues with a
   * different limit or condition.
   */
  readonly beyond: string | null;
  /** The node whose settings can be changed; null if there is none. */
  readonly node: FlowNode | null;
  readonly document: FlowDoc;
  readonly flowPath: string | null;
  /** Whether the step at the fork point failed. */
  readonly failed: boolean;
};

type ForkState = {
  readonly target: ForkTarget | null;
  /** Whether the step is only to be rerun. The popover then opens without edits. */
  readonly again: boolean;
  open(target: ForkTarget, again?: boolean): void;
  close(): void;
};

export const useFork = create<ForkState>()((set) => ({
  target: null,
  again: false,
  open: (target, again = false) => {
    // The popover is in the side panel, which is opened because it may be closed in a narrow window.
    useSession.getState().patch({ sideOpen: true });
    set({ target, again });
  },
  close: () => set({ target: null }),
}));

// The popover closes when another run is shown, because its own run is no longer visible.
useRuns.subscribe((s) => {
  const { target, close } = useFork.getState();
  if (target !== null && (s.past ?? s.live)?.state.runId !== target.runId) close();
});

// The chosen iteration applies to the whole window, so choosing another one retargets the fork.
useChosenIteration.subscribe(({ chosen }, before) => {
  const { target } = useFork.getState();
  if (target === null || chosen === before.chosen) return;
  const now = target.step
    ? nodeTarget(target.step.nodeId)
    : target.node === null
      ? null
      : iterationTarget(target.node.id);
  if (now !== null && now.runId === target.runId) useFork.setState({ target: now });
});

const iterationPath = (around: readonly Segment[]): string | null => {
  const last = around.findLastIndex((s) => s.iteration !== null);
  const segment = around[last];
  if (!segment) return null;
  return `${stepPath(around.slice(0, last), segment.id)}[${segment.iteration}]`;
};

/** Returns the shown execution of a node as a target for a fork; null if the node did not run. */
export function nodeTarget(nodeId: string): ForkTarget | null {
  const view = runHere(useRuns.getState());
  const choice = useChosenIteration.getState().chosen;
  const place = view && placeOf(view.state, choice, nodeId);
  const step = place?.scope.steps[nodeId];
  if (!view || !place || !step || view.state.runId === "") return null;
  const label = titleIn(view.document, nodeId);
  const around = iterationPath(place.around);
  const number = place.iteration?.number ?? null;
  const node = view.document.nodes.find((n) => n.id === nodeId);
  const loop = step.loop;
  const ended = loop !== null && loop.exitReason !== null;
  return {
    runId: view.state.runId,
    title: number === null ? `Fork from ${label}` : `Fork from ${label}, iteration ${number}`,
    step: { path: step.path, nodeId, usage: step.usage },
    givable: isGivable(node && useKinds.getState().byType.get(node.type)),
    iteration: around === null || number === null ? null : { path: around, number },
    beyond: ended ? `${step.path}[${(loop.iterationsRun ?? loop.iterations.length) + 1}]` : null,
    node: node ?? null,
    document: view.document,
    flowPath: view.flowPath,
    failed: step.status === "failed",
  };
}

/**
 * Returns the shown iteration of a loop as a target for a fork; null if no iteration of the loop is shown.
 */
export function iterationTarget(loopId: string): ForkTarget | null {
  const view = runWithLoops(useRuns.getState());
  const choice = useChosenIteration.getState().chosen;
  const loop = view && shownLoop(view.state, choice, loopId);
  const iteration = loop && shownIteration(loop, choice);
  if (!view || !loop || !iteration || view.state.runId === "") return null;
  return {
    runId: view.state.runId,
    title: `Fork from iteration ${iteration.number}`,
    step: null,
    givable: false,
    iteration: { path: `${loop.path}[${iteration.number}]`, number: iteration.number },
    beyond:
      loop.exitReason === null ? null : `${loop.path}[${(loop.iterationsRun ?? loop.iterations.length) + 1}]`,
    node: view.document.nodes.find((n) => n.id === loopId) ?? null,
    document: view.document,
    flowPath: view.flowPath,
    failed: false,
  };
}

/**
 * Forks a run and shows the fork. Rejects with `NotAllowed` if the user refuses the permissions the
 * fork needs.
 */
export async function forkAndShow(
  target: Pick<ForkTarget, "runId" | "flowPath">,
  at: string,
  change: { edits?: FieldEdit[]; value?: NullableValue | null },
): Promise<string> {
  const session = sessionOf(target.runId);
  const edits = change.edits ?? [];
  if (!(await session.confirmFork(edits))) throw new NotAllowed();
  const request = { at, document: null, edits, value: change.value ?? null, budgetUsd: null, focus: null };
  return useRuns.getState().begin(target.flowPath, session.fork(request));
}

/**
 * Returns the path of a node in a run, at the chosen iterations; null if the run does not contain the node.
 * If `choice` is null, the first iteration of each loop is used.
 */
export function pathIn(run: RunState, choice: Choice | null, nodeId: string): string | null {
  const chain = run.chains[nodeId];
  if (chain === undefined) return null;
  const first = Object.fromEntries(chain.map((id) => [id, 1]));
  const place = placeOf(run, choice ?? first, nodeId);
  return place && stepPath(place.around, nodeId);
}

/** A setting that can be changed: its field in `data`, and its value. */
export type Setting = { readonly field: string; readonly value: Json };

/**
 * Returns the single-value settings of a node, prompts first. Lists and tables are left out: they can be
 * changed only in the editor.
 */
export function settingsOf(node: FlowNode | null): Setting[] {
  const found: Setting[] = [];
  const look = (data: Record<string, Json>, prefix: string) => {
    for (const [name, value] of Object.entries(data)) {
      const field = prefix + name;
      if (field === "label" || value === null) continue;
      if (typeof value === "object") {
        if (!Array.isArray(value) && prefix === "") look(value as Record<string, Json>, `${field}.`);
      } else found.push({ field, value });
    }
  };
  look(node?.data ?? {}, "");
  const weight = (s: Setting) => (/prompt/i.test(s.field) ? 0 : typeof s.value === "string" ? 1 : 2);
  return found.sort((a, b) => weight(a) - weight(b));
}

/**
 * Parses typed text. If the old value was text or missing, returns the typed text unchanged. Otherwise parses
 * it as JSON; if it is invalid, returns a message for the user.
 */
export function readTyped(typed: string, was: Json): { value: Json } | { error: string } {
  if (typeof was === "string" || was === undefined || was === null) return { value: typed };
  try {
    return { value: JSON.parse(typed) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { error: `This is not valid JSON: ${why}` };
  }
}
