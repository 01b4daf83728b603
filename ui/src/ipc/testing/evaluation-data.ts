// Cases and results for the double: the recorded ones, repeated with new numbers, so that 10,000 rows need no
// memory.
import type { Case, Cell, CellResult, Evaluation } from "../evaluation";
import * as recorded from "../generated/recorded/evaluation";

export const exampleEvaluation: Evaluation = recorded.opened.evaluation;

/** The number of recorded cases. */
export const CASES = recorded.rows.length;

const rowAt = (index: number) => {
  const row = recorded.rows[index % CASES];
  if (!row) throw new Error("No case is recorded.");
  return row;
};

export function caseAt(index: number): Case {
  const { case: shown } = rowAt(index);
  return index < CASES ? shown : { ...shown, id: `case-${index + 1}`, line: index + 1 };
}

const variantCount = (evaluation: Evaluation) => Math.max(1, evaluation.variants?.length ?? 0);

export function cellAt(evaluation: Evaluation, cell: Cell): CellResult {
  const { cells } = rowAt(cell.case);
  const result = cells[cell.variant % variantCount(evaluation)];
  if (!result) throw new Error("A cell of the recorded experiment is empty.");
  const isRecorded = cell.case < CASES && cell.repetition === 0;
  return isRecorded ? result : { ...result, cell, runId: `${result.runId}-${cell.case}-${cell.repetition}` };
}
