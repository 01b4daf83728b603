// The dialog that continues a run stopped at its budget with a larger one, and the amount it proposes.
import { create } from "zustand";
import { api } from "../../ipc/client";
import type { Budget } from "../../ipc/generated/bindings";
import type { RunState } from "../fold/model";
import { useRuns } from "./store";

type BudgetDialogState = {
  /** The run in the dialog, with its budget. */
  readonly asked: {
    readonly runId: string;
    readonly flow: string;
    readonly budget: Budget;
    /** The reason for the stop. It includes the possible cost of the call that exceeded the budget. */
    readonly why: string | null;
  } | null;
  /**
   * Opens the dialog for a run. If a spending limit stopped the run, resumes it instead. Rejects if a larger
   * budget would not let the run continue.
   */
  open(runId: string): Promise<void>;
  close(): void;
};

export const useBudgetDialog = create<BudgetDialogState>()((set) => ({
  asked: null,
  async open(runId) {
    const { overBudget, overSpendingLimit, budget, summary, error } = await api().runDetail(runId);
    // A budget for a day, a week or a month stopped the run. The run continues if enough of that budget is
    // left now.
    if (overSpendingLimit) return useRuns.getState().resume(runId);
    if (!overBudget || !budget) {
      throw new Error(
        "This run was stopped by the budget of a loop, not by its own budget. To continue, fork the run and raise the loop's budget.",
      );
    }
    set({ asked: { runId, flow: summary.flow, budget, why: error?.message ?? null } });
  },
  close: () => set({ asked: null }),
}));

/** Returns the run's id if it appears to have stopped at its budget, otherwise null. */
export function overBudgetRun(state: RunState | undefined): string | null {
  return state?.status === "failed" && state.error?.code === "budget_exceeded" ? state.runId : null;
}

/**
 * Returns whether a run stopped at the budget `before` can continue with the budget `now`: no limit is lower,
 * and at least one is higher.
 */
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

/** Returns twice the budget, in dollars. From one cent upwards, it is rounded up to whole cents. */
export function proposedUsd(budget: number): number {
  const twice = budget * 2;
  return twice >= 0.01 ? Math.ceil(twice * 100 - 1e-9) / 100 : twice;
}
