// What the Rust side says about the document: problems, handles per node, loop regions, the estimate of calls.
// Asked for after every change; no rule of it is repeated here.
import { create } from "zustand";
import { api, errorMessage } from "../ipc/client";
import type { Analysis, HandleInfo, NodeAnalysis, Problem, Region } from "../ipc/generated/bindings";
import { typeset } from "../kernels/typeset";
import { breadcrumbPath, outermost, useDocument } from "./document";
import { useKinds } from "./kinds";
import { readyFixes } from "./ready-fixes";
import { type UnknownNames, unknownNamesIn } from "./unknown-names";

interface AnalysisState {
  /** Of the flow that is shown. */
  analysis: Analysis;
  /** Of the outermost flow, which is what runs; the same one unless the way led into a subflow. */
  whole: Analysis;
  /** Of the flow that is shown: the names in its texts that nothing has. */
  unknownNames: UnknownNames;
  /** True while the answer for the newest document is still out. */
  stale: boolean;
  failure: string | null;
  checkedAt: number | null;
}

const nothing: Analysis = {
  problems: [],
  nodes: {},
  regions: [],
  estimate: { maxCalls: null, perIteration: null, agentTurns: null, usd: null, note: "" },
  runnable: false,
};

export const useAnalysis = create<AnalysisState>()(() => ({
  analysis: nothing,
  whole: nothing,
  unknownNames: {},
  stale: true,
  failure: null,
  checkedAt: null,
}));

/** Between the last change and the question, in milliseconds: below what typing notices. */
const PAUSE_MS = 120;
/** Between two questions while the program that checks scripts is still being built, in milliseconds. */
const BUILD_MS = 2000;
let timer: ReturnType<typeof setTimeout> | undefined;
let asked = 0;

/** The value before where both are equal, so that what reads it is not drawn again. */
const same = <T>(a: T, b: T) => (JSON.stringify(a) === JSON.stringify(b) ? a : b);

/** Keeps what did not change, so that cards whose part is the same are not drawn again. */
function shareParts(before: Analysis, after: Analysis): Analysis {
  const nodes: Record<string, NodeAnalysis> = {};
  for (const [id, node] of Object.entries(after.nodes)) {
    const was = before.nodes[id];
    nodes[id] = was && JSON.stringify(was) === JSON.stringify(node) ? was : node;
  }
  const problems = readyFixes(after.problems).map((p) => ({
    ...p,
    message: typeset(p.message),
    ...(p.fix ? { fix: { ...p.fix, title: typeset(p.fix.title) } } : {}),
  }));
  return {
    ...after,
    nodes,
    regions: same(before.regions, after.regions),
    problems: same(before.problems, problems),
    estimate: same(before.estimate, after.estimate),
  };
}

/** Whether scripts could not be checked yet, because `npm start` is still building the program that does. */
export function waitsForScripts({ problems }: Analysis): boolean {
  return problems.some(({ code }) => code === "script_building");
}

/** Asks now. Resolves with the answer for the outermost flow, which is what runs, as it is at the call. */
export async function analyzeNow(): Promise<Analysis> {
  clearTimeout(timer);
  const question = ++asked;
  try {
    const state = useDocument.getState();
    const around = breadcrumbPath(state).length > 0 ? outermost(state) : null;
    const [answer, outermostAnalysis] = await Promise.all([
      api().analyze(state.document, state.path),
      around === null ? null : api().analyze(around.root, around.path),
    ]);
    if (question !== asked) return outermostAnalysis ?? answer;
    const before = useAnalysis.getState();
    const analysis = shareParts(before.analysis, answer);
    const whole = outermostAnalysis === null ? analysis : shareParts(before.whole, outermostAnalysis);
    const unknownNames = same(before.unknownNames, unknownNamesIn(state.document, answer.problems));
    useAnalysis.setState({
      analysis,
      whole,
      unknownNames,
      stale: false,
      failure: null,
      checkedAt: Date.now(),
    });
    if (waitsForScripts(answer)) timer = setTimeout(ask, BUILD_MS);
    return whole;
  } catch (error) {
    if (question === asked) useAnalysis.setState({ failure: errorMessage(error), stale: false });
    throw error;
  }
}

function ask(): void {
  analyzeNow().catch(() => {
    // `failure` in the store says it, where the status bar shows it.
  });
}

/** Starts asking after every change. Returns what stops it. */
export function followDocument(): () => void {
  let place = useDocument.getState().place;
  ask();
  return useDocument.subscribe((state, before) => {
    // A first file, or another one, is where references to other files start from.
    if (state.document === before.document && state.path === before.path) return;
    useAnalysis.setState({ stale: true });
    clearTimeout(timer);
    if (state.place !== place) {
      place = state.place;
      useAnalysis.setState({ analysis: nothing, unknownNames: {} });
      ask();
    } else {
      timer = setTimeout(ask, PAUSE_MS);
    }
  });
}

export function useNodeAnalysis(id: string): NodeAnalysis | undefined {
  return useAnalysis((s) => s.analysis.nodes[id]);
}

const noHandles: HandleInfo[] = [];

/** The handles of a node: as analysed, until then as its kind declares them. */
export function useHandles(id: string, type: string): { inputs: HandleInfo[]; outputs: HandleInfo[] } {
  const analysed = useNodeAnalysis(id);
  const kind = useKinds((s) => s.byType.get(type));
  return {
    inputs: analysed?.inputs ?? kind?.inputs ?? noHandles,
    outputs: analysed?.outputs ?? kind?.outputs ?? noHandles,
  };
}

/** The region that a Loop or Iterator opens. */
export function useRegionOf(startId: string): Region | undefined {
  return useAnalysis((s) => s.analysis.regions.find((region) => region.start === startId));
}

/** The region that an Exit or Aggregator closes. */
export function useRegionEndingAt(endId: string): Region | undefined {
  return useAnalysis((s) => s.analysis.regions.find((region) => region.end === endId));
}

const noNames: readonly string[] = [];

/** The names in a node's texts that nothing has. */
export function useUnknownNames(id: string): readonly string[] {
  return useAnalysis((s) => s.unknownNames[id] ?? noNames);
}

const noProblems: Problem[] = [];
const problemsByNode = new WeakMap<Problem[], Map<string, Problem[]>>();

export function problemsOf(problems: Problem[], nodeId: string): Problem[] {
  let byNode = problemsByNode.get(problems);
  if (!byNode) {
    byNode = new Map();
    for (const problem of problems) {
      if (problem.node === null) continue;
      byNode.set(problem.node, [...(byNode.get(problem.node) ?? []), problem]);
      // A subflow shows what is wrong inside it.
      const [around] = problem.node.split("/");
      if (around !== undefined && around !== problem.node)
        byNode.set(around, [...(byNode.get(around) ?? []), problem]);
    }
    problemsByNode.set(problems, byNode);
  }
  return byNode.get(nodeId) ?? noProblems;
}

export function useNodeProblems(id: string): Problem[] {
  return useAnalysis((s) => problemsOf(s.analysis.problems, id));
}
