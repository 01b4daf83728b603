// The most that a run of the document in hand can cost, asked for once it has not changed for a moment.
import { useEffect, useState } from "react";
import { outermost, useDocument } from "../../document/document";
import { setData } from "../../document/edits";
import { useKinds } from "../../document/kinds";
import { api } from "../../ipc/client";
import type { CostEstimate, UnboundedNode } from "../../ipc/generated/bindings";
import { formatUsd } from "../words/format";
import { collectInputs, inputFields } from "./inputs";
import { usePrices } from "./prices";
import { defaultProvider, useProviders } from "./providers";
import { typedInHand, useRunInputs } from "./typed-inputs";

/** How long the document must rest, in milliseconds. */
const IDLE_DELAY_MS = 400;

/** Asks now, with the inputs that were typed as far as they can be used. */
export async function estimateNow(): Promise<CostEstimate> {
  // A model that was just chosen has another price.
  await useProviders.getState().settled();
  const { root, path } = outermost(useDocument.getState());
  const { inputs } = collectInputs(inputFields(root, useKinds.getState().kinds), typedInHand());
  return api().estimate(root, path, inputs);
}

/** The newest question and its answer: the run box and the panel ask the same, and Rust is asked once. */
let newest: { of: readonly unknown[]; answer: Promise<CostEstimate> } | null = null;

function askedOnce(of: readonly unknown[]): Promise<CostEstimate> {
  if (newest === null || newest.of.some((part, i) => part !== of[i])) newest = { of, answer: estimateNow() };
  return newest.answer;
}

/** What answers prompts, as far as prices depend on it. */
const answering = (s: ReturnType<typeof useProviders.getState>): string =>
  [
    defaultProvider(s)?.id,
    s.settings?.model,
    ...s.providers.filter(({ ready }) => ready).map(({ id }) => id),
  ].join(" ");

/** Null until the first answer, and where the flow has errors: then there is nothing to run. */
export function useEstimate(isRunnable: boolean): CostEstimate | null {
  const root = useDocument((s) => outermost(s).root);
  const path = useDocument((s) => outermost(s).path);
  const typed = useRunInputs((s) => s.typed);
  const models = useProviders(answering);
  const prices = usePrices((s) => s.list);
  const [estimate, setEstimate] = useState<CostEstimate | null>(null);
  useEffect(() => {
    if (!isRunnable) {
      setEstimate(null);
      return;
    }
    let wanted = true;
    const timer = setTimeout(() => {
      askedOnce([root, path, typed, models, prices, api()]).then(
        (found) => wanted && setEstimate(found),
        // The problems say what is wrong with the flow.
        () => wanted && setEstimate(null),
      );
    }, IDLE_DELAY_MS);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [root, path, typed, models, prices, isRunnable]);
  return estimate;
}

/** The budget in dollars that a run of the document will have: its own, else the one of the settings. */
export function useBudget(): { usd: number; of: "workflow" | "settings" } | null {
  const own = useDocument((s) => {
    const budget = outermost(s).root.settings?.budget;
    const usd = typeof budget === "object" && budget !== null ? (budget as { usd?: unknown }).usd : null;
    return typeof usd === "number" ? usd : null;
  });
  const general = useProviders((s) => s.settings?.budgetUsd ?? null);
  if (own !== null) return { usd: own, of: "workflow" };
  return general === null ? null : { usd: general, of: "settings" };
}

/** What keeps a known price from being a bound, in words: "no upper bound: Router has no Max tokens". */
export function noBoundWords(unbounded: readonly UnboundedNode[]): string | null {
  const [first, ...others] = unbounded;
  if (first === undefined) return null;
  return others.length === 0
    ? `no upper bound: ${first.title} has no Max tokens`
    : `no upper bound: ${unbounded.length} nodes have no Max tokens`;
}

/** What a node gets where nothing else is said. */
export const USUAL_MAX_TOKENS = 1024;

/** Gives these nodes of the document in hand the usual Max tokens, in one step of the history. */
export function boundAnswers(ids: readonly string[]): void {
  useDocument
    .getState()
    .edit(
      (document) => ids.reduce((flow, id) => setData(id, "maxTokens", USUAL_MAX_TOKENS)(flow), document),
      { label: "Set Max tokens" },
    );
}

/** A bound below this is said as this: dollars have four places here. */
const MIN_SHOWN_USD = 0.0001;

/**
 * The most that the calls of a run can cost, in words: "≤ $0.02", "cost not known", or what would bound it. Empty where they cost nothing, where it is not known
 * how many they are, and until the estimate is there.
 */
export function costWords(estimate: CostEstimate | null, budgetUsd: number | null): string {
  if (estimate !== null && (estimate.agentTurns ?? 0) > 0) return "cost not bounded";
  if (estimate === null || estimate.maxCalls === null || estimate.maxCalls === 0) return "";
  if (estimate.maxUsd === null) return noBoundWords(estimate.unbounded) ?? "cost not known";
  if (estimate.maxUsd === 0) return "";
  return `≤ ${formatUsd(Math.max(MIN_SHOWN_USD, Math.min(estimate.maxUsd, budgetUsd ?? estimate.maxUsd)))}`;
}
