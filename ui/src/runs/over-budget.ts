// A run that was stopped at its budget goes on with a larger one: what is asked, and what is proposed.
import { create } from "zustand";
import { api } from "../ipc/client";
import type { Budget } from "../ipc/generated/bindings";
import type { RunState } from "./model";

type BudgetDialogState = {
  /** The run that is asked about, with its budget. */
  readonly asked: { readonly runId: string; readonly flow: string; readonly budget: Budget } | null;
  /** Opens the question; rejects where the run does not go on with a larger budget. */
  open(runId: string): Promise<void>;
  close(): void;
};

export const useBudgetDialog = create<BudgetDialogState>()((set) => ({
  asked: null,
  async open(runId) {
    const { overBudget, budget, summary } = await api().runDetail(runId);
    if (!overBudget || !budget) {
      throw new Error(
        "It was not its own budget that stopped this run. Fork it where the loop's budget is set.",
      );
    }
    set({ asked: { runId, flow: summary.flow, budget } });
  },
  close: () => set({ asked: null }),
}));

/** The run's id, where it seems to have been stopped at its budget. */
export function overBudgetRun(state: RunState | undefined): string | null {
  return state?.status === "failed" && state.error?.code === "budget_exceeded" ? state.runId : null;
}

/** Twice the budget, in whole cents where it is no less than one. */
export function proposedUsd(budget: number): number {
  const twice = budget * 2;
  return twice >= 0.01 ? Math.ceil(twice * 100 - 1e-9) / 100 : twice;
}
