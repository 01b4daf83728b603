// The state of the views of a loop's changes: the two states that are compared, the chosen file, and the
// dialogs.
import { create } from "zustand";
import type { ChangedFile, LoopFiles } from "../../ipc/generated/bindings";

/** The states that are compared: before and after the chosen iteration, the start and the end, or any two. */
export type Comparison = "iteration" | "whole" | "other";
export type Layout = "unified" | "split";

/** A loop whose files are shown, identified by its run and its path in the run. */
export type ChangesOf = {
  readonly runId: string;
  readonly path: string;
  /** The number of the chosen iteration. */
  readonly shown: number;
  /** The number of iterations so far. */
  readonly count: number;
};

type ChangesState = {
  readonly comparison: Comparison;
  /** The two states that `other` compares, `from` and `to`: numbers of iterations, or 0 for the start. */
  readonly from: number;
  readonly to: number;
  readonly layout: Layout;
  /** The loop whose changes fill the window; null if no changes do. */
  readonly open: ChangesOf | null;
  /** The loop whose files are being applied, and the iteration; null while the dialog is closed. */
  readonly applying: (ChangesOf & { readonly iteration: number }) | null;
  /** The key of the chosen file; null if none was chosen. */
  readonly file: string | null;
  compare(comparison: Comparison, from?: number, to?: number): void;
  setLayout(layout: Layout): void;
  show(of: ChangesOf, file: string | null): void;
  pick(file: string): void;
  apply(of: ChangesOf & { readonly iteration: number }): void;
  closeApply(): void;
  close(): void;
};

export const useChanges = create<ChangesState>()((set) => ({
  comparison: "iteration",
  from: 0,
  to: 1,
  layout: "unified",
  open: null,
  applying: null,
  file: null,
  compare: (comparison, from, to) => set((s) => ({ comparison, from: from ?? s.from, to: to ?? s.to })),
  setLayout: (layout) => set({ layout }),
  show: (open, file) => set({ open, file }),
  pick: (file) => set({ file }),
  apply: (applying) => set({ applying }),
  closeApply: () => set({ applying: null }),
  close: () => set({ open: null }),
}));

/**
 * Returns the two states of a loop that a comparison shows. `shown` is the number of the chosen iteration,
 * and `last` that of the last one.
 */
export function statesOf(
  { comparison, from, to }: Pick<ChangesState, "comparison" | "from" | "to">,
  shown: number,
  last: number,
): { from: number; to: number } {
  if (comparison === "iteration") return { from: Math.max(0, shown - 1), to: shown };
  if (comparison === "whole") return { from: 0, to: last };
  return { from: Math.min(from, last), to: Math.min(to, last) };
}

/**
 * Returns a key that is unique among the files of the same changes. The displayed name is not used, since two
 * hostile names can look the same.
 */
export const fileKey = (file: ChangedFile): string =>
  [file.name, file.before?.hash ?? "", file.after?.hash ?? "", file.oldName ?? ""].join("\n");

/**
 * The state that is applied: the number of an iteration, or null for the loop's result. Null is used only if
 * the result differs from the last iteration's state.
 */
export type AppliedState = number | null;

/**
 * Returns the state that *Apply…* proposes while the state `to` is shown. This is the result if `to` is the
 * last state and the result differs from it.
 */
export const proposed = (to: number, count: number, result: LoopFiles | null): AppliedState =>
  result !== null && to === count ? null : to;

/** Returns a sentence that says which iteration a loop's result comes from. */
export const resultName = (result: LoopFiles): string => {
  if (result.iteration === 0) return "The result: the same files as at the start";
  const part = result.isWhole ? "" : ", before its last steps";
  return `The result: iteration ${result.iteration}${part}`;
};

/** Returns the displayed name of a state. */
export const stateName = (state: number): string => (state === 0 ? "Start" : `Iteration ${state}`);
