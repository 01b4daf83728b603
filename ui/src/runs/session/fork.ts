// Where the run in front can be forked, and what a fork changes. The choice of iterations says which pass is meant.
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

/** A place of a run, and how people call it. */
export type ForkTarget = {
  readonly runId: string;
  readonly title: string;
  /** The step of a node, where one is meant. */
  readonly step: { readonly path: string; readonly nodeId: string; readonly usage: Usage } | null;
  /** A value can be given in place of what it gave. */
  readonly givable: boolean;
  /** The iteration around it, or the one that is meant itself. */
  readonly iteration: { readonly path: string; readonly number: number } | null;
  /** The iteration behind the last one of a loop that has ended: with another cap or condition it continues there. */
  readonly beyond: string | null;
  /** The node whose settings can be changed. */
  readonly node: FlowNode | null;
  readonly document: FlowDoc;
  readonly flowPath: string | null;
  /** The step that is meant failed. */
  readonly failed: boolean;
};

type ForkState = {
  readonly target: ForkTarget | null;
  /** It is to run once more as it is, and nothing of it is to be edited at first. */
  readonly again: boolean;
  open(target: ForkTarget, again?: boolean): void;
  close(): void;
};

export const useFork = create<ForkState>()((set) => ({
  target: null,
  again: false,
  open: (target, again = false) => {
    // It stands in the side panel, which may be put away in a narrow window.
    useSession.getState().patch({ sideOpen: true });
    set({ target, again });
  },
  close: () => set({ target: null }),
}));

// A popover about a run that is not in front any more would fork something nobody sees.
useRuns.subscribe((s) => {
  const { target, close } = useFork.getState();
  if (target !== null && (s.past ?? s.live)?.state.runId !== target.runId) close();
});

// There is one cursor over time: another iteration that is chosen is the one that is forked.
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

/** The pass of a node that the window shows; null where it did not run. */
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

/** The iteration of a loop that the timeline shows. */
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

/** Forks a run and shows the new one in front. Rejects with `NotAllowed` where the person refuses what it would use. */
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

/** The path of a node in a run: at the chosen iterations, or where there is no choice at the first ones. */
export function pathIn(run: RunState, choice: Choice | null, nodeId: string): string | null {
  const chain = run.chains[nodeId];
  if (chain === undefined) return null;
  const first = Object.fromEntries(chain.map((id) => [id, 1]));
  const place = placeOf(run, choice ?? first, nodeId);
  return place && stepPath(place.around, nodeId);
}

/** A setting that can be changed: where it stands in `data`, and what it is. */
export type Setting = { readonly field: string; readonly value: Json };

/** The settings of a node that are one value each, the prompts first. Lists and tables are edited in the editor. */
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

/** What was typed for a value that was a text, or anything else as JSON. */
export function readTyped(typed: string, was: Json): { value: Json } | { error: string } {
  if (typeof was === "string" || was === undefined || was === null) return { value: typed };
  try {
    return { value: JSON.parse(typed) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { error: `This is not valid JSON: ${why}` };
  }
}
