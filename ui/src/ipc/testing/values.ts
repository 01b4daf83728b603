// Recorded values with the changes that a test specifies.
import type {
  CostEstimate,
  ForkPlace,
  IterationInfo,
  IterationSide,
  Need,
  Price,
  Problem,
  ProviderInfo,
  RunDetail,
  RunSummary,
  Settings,
  StepDetail,
  TrustList,
} from "../generated/bindings";
import * as program from "../generated/recorded/program";
import * as recordings from "../generated/recorded/runs";
import { readyProvider } from "./providers";

const { detail, iterations, steps } = recordings.threeIterations;

/** Returns a run that has ended. */
export const runSummary = (changes: Partial<RunSummary> = {}): RunSummary => ({
  ...detail.summary,
  ...changes,
});

/** Returns the detail of a run that has ended, as the history shows it. */
export const runDetail = ({
  summary,
  ...changes
}: Partial<Omit<RunDetail, "summary">> & { summary?: Partial<RunSummary> } = {}): RunDetail => ({
  ...detail,
  ...changes,
  summary: runSummary(summary),
});

/** Returns a step that has ended. */
export function stepDetail(changes: Partial<StepDetail> = {}): StepDetail {
  const found = steps["refine[2]/draft"];
  if (!found) throw new Error("No step is recorded.");
  return { ...found, ...changes };
}

/** Returns a finished iteration of a loop. */
export function iterationInfo(changes: Partial<IterationInfo>): IterationInfo {
  const [first] = Object.values(iterations).flatMap((page) => page.iterations);
  if (!first) throw new Error("No iteration is recorded.");
  return { ...first, ...changes };
}

/** Returns an iteration of a loop in a comparison. */
export function iterationSide(changes: Partial<IterationSide>): IterationSide {
  const [first] = recordings.compared.loops.flatMap((loop) => loop.a?.iterations ?? []);
  if (!first) throw new Error("No loop is recorded in the comparison.");
  return { ...first, ...changes };
}

/** Returns a step at which a run can be forked. */
export const forkPlace = (changes: Partial<ForkPlace>): ForkPlace => ({
  ...recordings.forkedAtStep,
  ...changes,
});

/** Returns the maximum cost of a run. */
export const costEstimate = (changes: Partial<CostEstimate> = {}): CostEstimate => ({
  ...recordings.threeIterations.preparation.mostItCanCost,
  ...changes,
});

/** Returns the list of what a flow would use outside the program, which the user must approve. */
export function trustList(needs: readonly Partial<Need>[], changes: Partial<TrustList> = {}): TrustList {
  const recorded = recordings.waitingCall.preparation.needs;
  const [first] = recorded?.needs ?? [];
  if (!recorded || !first) throw new Error("No flow that uses something is recorded.");
  return { ...recorded, needs: needs.map((need) => ({ ...first, ...need })), ...changes };
}

/** Returns a provider that is set up. */
export const providerInfo = (id: string, changes: Partial<ProviderInfo> = {}): ProviderInfo => ({
  ...readyProvider("openai"),
  id,
  name: id,
  models: [],
  ...changes,
});

/** Returns the default settings with these changes. */
export const settingsWith = (changes: Partial<Settings> = {}): Settings => ({
  ...program.settings,
  ...changes,
});

/** Returns the price of a model. */
export function priceWith(changes: Partial<Price>): Price {
  const [first] = program.prices.prices;
  if (!first) throw new Error("No price is recorded.");
  return { ...first, ...changes };
}

/** Returns a problem of a flow, with a text recorded from Rust. */
export function problemOf(code: string, changes: Partial<Problem> = {}): Problem {
  const found = program.problems[code];
  if (!found) throw new Error(`No problem \`${code}\` is recorded.`);
  return { ...found, ...changes };
}
