// The maximum cost of a run of the open document, computed once the document has been unchanged for a moment.
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

/** The debounce delay between a change and the request for an estimate, in milliseconds. */
const IDLE_DELAY_MS = 400;

/** Requests an estimate immediately, with those typed inputs that are valid. */
export async function estimateNow(): Promise<CostEstimate> {
  // A newly chosen model may have another price, so this waits for pending changes to the settings.
  await useProviders.getState().settled();
  const { root, path } = outermost(useDocument.getState());
  const { inputs } = collectInputs(inputFields(root, useKinds.getState().kinds), typedInHand());
  return api().estimate(root, path, inputs);
}

/**
 * The newest request and its result. The run box and the panel need the same estimate, so one request serves
 * both.
 */
let newest: { of: readonly unknown[]; answer: Promise<CostEstimate> } | null = null;

function askedOnce(of: readonly unknown[]): Promise<CostEstimate> {
  if (newest === null || newest.of.some((part, i) => part !== of[i])) newest = { of, answer: estimateNow() };
  return newest.answer;
}

/**
 * Returns a key that changes when the default model or the set of usable providers changes, because both
 * determine the prices.
 */
const answering = (s: ReturnType<typeof useProviders.getState>): string =>
  [
    defaultProvider(s)?.id,
    s.settings?.model,
    ...s.providers.filter(({ ready }) => ready).map(({ id }) => id),
  ].join(" ");

/** Returns the estimate. Null until the first result, and while the flow cannot run because it has errors. */
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
        // A failed estimate is not reported here: the problems list already says what is wrong with the flow.
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

/**
 * Returns the budget in dollars for a run of the document: the workflow's budget, otherwise the one from
 * Settings; null if neither is set.
 */
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

/**
 * Explains why the estimate is not an upper bound: "no upper bound: Router has no Max tokens". Returns null
 * if every answer has a maximum length.
 */
export function noBoundWords(unbounded: readonly UnboundedNode[]): string | null {
  const [first, ...others] = unbounded;
  if (first === undefined) return null;
  return others.length === 0
    ? `no upper bound: ${first.title} has no Max tokens`
    : `no upper bound: ${unbounded.length} nodes have no Max tokens`;
}

/** The value of Max tokens that `boundAnswers` sets on a node. */
export const USUAL_MAX_TOKENS = 1024;

/** Sets the default Max tokens on these nodes of the open document, as one undo step. */
export function boundAnswers(ids: readonly string[]): void {
  useDocument
    .getState()
    .edit(
      (document) => ids.reduce((flow, id) => setData(id, "maxTokens", USUAL_MAX_TOKENS)(flow), document),
      { label: "Set Max tokens" },
    );
}

/** The smallest amount shown, in dollars. Amounts here have four decimals. */
const MIN_SHOWN_USD = 0.0001;

/**
 * Formats the maximum cost of a run's calls: "≤ $0.02", "cost not known", or the reason that there is no
 * upper bound. Empty if the calls are free, if their number is not known, and until the estimate arrives.
 */
export function costWords(estimate: CostEstimate | null, budgetUsd: number | null): string {
  if (estimate !== null && (estimate.agentTurns ?? 0) > 0) return "cost not bounded";
  if (estimate === null || estimate.maxCalls === null || estimate.maxCalls === 0) return "";
  if (estimate.maxUsd === null) return noBoundWords(estimate.unbounded) ?? "cost not known";
  if (estimate.maxUsd === 0) return "";
  return `≤ ${formatUsd(Math.max(MIN_SHOWN_USD, Math.min(estimate.maxUsd, budgetUsd ?? estimate.maxUsd)))}`;
}
