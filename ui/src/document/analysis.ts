// The analysis of the document by Rust: problems, handles per node, loop regions, the estimate of calls. It
// is requested after every change. The pages do not repeat any of its rules.
import { create } from "zustand";
import { api, errorMessage } from "../ipc/client";
import type { Analysis, HandleInfo, NodeAnalysis, Problem, Region } from "../ipc/generated/bindings";
import { typeset } from "../kernels/typeset";
import { breadcrumbPath, outermost, useDocument } from "./document";
import { useKinds } from "./kinds";
import { readyFixes } from "./ready-fixes";
import { type UnknownNames, unknownNamesIn } from "./unknown-names";

interface AnalysisState {
  /** The analysis of the shown flow. */
  analysis: Analysis;
  /**
   * The analysis of the outermost flow, which is the flow that runs. It is the same object as `analysis`,
   * unless a subflow is shown.
   */
  whole: Analysis;
  /** The unknown names in the text fields of the shown flow. */
  unknownNames: UnknownNames;
  /** True while the result for the newest document is pending. */
  stale: boolean;
  failure: string | null;
  checkedAt: number | null;
}

const nothing: Analysis = {
  problems: [],
  nodes: {},
  regions: [],
  estimate: { maxCalls: null, perIteration: null, agentTurns: null, usd: null, counts: "", note: "" },
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

/** The delay between the last change and the request, in milliseconds: too short to notice while typing. */
const PAUSE_MS = 120;
/** The interval between requests while the script checker is still being built, in milliseconds. */
const BUILD_MS = 2000;
let timer: ReturnType<typeof setTimeout> | undefined;
let asked = 0;

/** Returns the previous value if both are equal, so that components reading it do not re-render. */
const same = <T>(a: T, b: T) => (JSON.stringify(a) === JSON.stringify(b) ? a : b);

/**
 * Returns `after` with the parts that equal those of `before` replaced by the objects of `before`, so that
 * cards with unchanged parts do not re-render.
 */
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

/** Returns whether scripts could not be checked yet, because `npm start` is still building the checker. */
export function waitsForScripts({ problems }: Analysis): boolean {
  return problems.some(({ code }) => code === "script_building");
}

/**
 * Requests an analysis immediately. Resolves with the result for the outermost flow, which is the flow that
 * runs, in its state at the time of the call.
 */
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
    // The store has the error in `failure`, which the status bar shows.
  });
}

/** Requests an analysis now, and after each change of the document. Returns a function that stops this. */
export function followDocument(): () => void {
  let place = useDocument.getState().place;
  ask();
  return useDocument.subscribe((state, before) => {
    // References to other files are relative to the file, so a first or different path needs a new analysis.
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

/**
 * Returns the handles of a node: from the analysis if it has arrived, otherwise those that the kind declares.
 */
export function useHandles(id: string, type: string): { inputs: HandleInfo[]; outputs: HandleInfo[] } {
  const analysed = useNodeAnalysis(id);
  const kind = useKinds((s) => s.byType.get(type));
  return {
    inputs: analysed?.inputs ?? kind?.inputs ?? noHandles,
    outputs: analysed?.outputs ?? kind?.outputs ?? noHandles,
  };
}

/** Returns the region that a Loop or Iterator opens; undefined if the node opens none. */
export function useRegionOf(startId: string): Region | undefined {
  return useAnalysis((s) => s.analysis.regions.find((region) => region.start === startId));
}

/** Returns the region that an Exit or Aggregator closes; undefined if the node closes none. */
export function useRegionEndingAt(endId: string): Region | undefined {
  return useAnalysis((s) => s.analysis.regions.find((region) => region.end === endId));
}

const noNames: readonly string[] = [];

/** Returns the unknown names in a node's text fields. */
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
      // A problem of a node inside a subflow also counts as a problem of the subflow's node.
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
