// A run that was stopped at its budget continues with a larger one: what is asked, and what is proposed.
import { create } from "zustand";
import { api } from "../../ipc/client";
import type { Budget } from "../../ipc/generated/bindings";
import type { RunState } from "../fold/model";

type BudgetDialogState = {
  /** The run that is asked about, with its budget. */
  readonly asked: {
    readonly runId: string;
    readonly flow: string;
    readonly budget: Budget;
    /** What it was stopped for, with how much the call could have cost that did not fit. */
    readonly why: string | null;
  } | null;
  /** Opens the question; rejects where the run does not continue with a larger budget. */
  open(runId: string): Promise<void>;
  close(): void;
};

export const useBudgetDialog = create<BudgetDialogState>()((set) => ({
  asked: null,
  async open(runId) {
    const { overBudget, budget, summary, error } = await api().runDetail(runId);
    if (!overBudget || !budget) {
      throw new Error(
        "It was not its own budget that stopped this run. Fork it where the loop's budget is set.",
      );
    }
    set({ asked: { runId, flow: summary.flow, budget, why: error?.message ?? null } });
  },
  close: () => set({ asked: null }),
}));

/** The run's id, where it seems to have been stopped at its budget. */
export function overBudgetRun(state: RunState | undefined): string | null {
  return state?.status === "failed" && state.error?.code === "budget_exceeded" ? state.runId : null;
}

/** Whether a run that was stopped at its budget could continue with this one: none of it is less, and something is more. */
export function isLarger(
  before: Pick<Budget, "budget_usd" | "budget_tokens">,
  now: { usd: number | null; tokens: number | null },
): boolean {
  const pairs = [
    [before.budget_usd, now.usd],
    [before.budget_tokens, now.tokens],
  ] as const;
  const limited = pairs.filter(([was]) => was !== null);
  return (
    limited.every(([was, is]) => is !== null && is >= (was ?? 0)) &&
    limited.some(([was, is]) => (is ?? 0) > (was ?? 0))
  );
}

/** Twice the budget, in whole cents where it is no less than one. */
export function proposedUsd(budget: number): number {
  const twice = budget * 2;
  return twice >= 0.01 ? Math.ceil(twice * 100 - 1e-9) / 100 : twice;
}
