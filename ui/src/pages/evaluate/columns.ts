// The columns of the grid, and the content of cells. Pure.
import type { CellResult, Evaluation, ExperimentRow, Report, Score } from "../../ipc/evaluation";
import type { ExitReason, Json } from "../../ipc/generated/bindings";
import { exitTitle, exitTone, formatDuration, formatUsd, type Tone } from "../../runs/words/format";

export interface CellText {
  text: string;
  /** The full text, if `text` is shortened. */
  title?: string;
  tone?: Tone | "muted" | "failed";
}

export interface Column {
  id: string;
  title: string;
  /**
   * The name of the variant shown above the column, followed by the repetition if there are several. Null for
   * a column of the case.
   */
  group: string | null;
  width: number;
  isNumber?: boolean;
  /** The index of the result in a row's cells; null for a column of the case. */
  cell: number | null;
  read(row: ExperimentRow): CellText;
}

/** The maximum number of characters shown in a cell. */
const MAX_CHARACTERS = 200;

export const textOf = (value: Json): string =>
  typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value);

const shortened = (value: Json): CellText => {
  const text = textOf(value);
  return text.length <= MAX_CHARACTERS ? { text } : { text: `${text.slice(0, MAX_CHARACTERS)}…` };
};

const DECIMALS = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2, signDisplay: "negative" });
const SIGNED = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2, signDisplay: "exceptZero" });

export const formatScore = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : DECIMALS.format(value).replace("-", "−");

export const formatDifference = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : SIGNED.format(value).replace("-", "−");

export const formatInterval = (
  interval: readonly [number, number] | null | undefined,
  format: (value: number) => string = formatScore,
): string => (interval ? `${format(interval[0])} to ${format(interval[1])}` : "–");

/** Returns whether lower values of this score are better. */
export const isLowerBetter = ({ scorers, lowerIsBetter }: Report, scorer: string): boolean =>
  lowerIsBetter?.[scorers.indexOf(scorer)] ?? false;

/** Returns the title of a score: its name, and its direction if lower values are better. */
export const scorerTitle = (report: Report, scorer: string): string =>
  isLowerBetter(report, scorer) ? `${scorer} (lower is better)` : scorer;

export function scoreText(score: Score | undefined): CellText {
  if (score === undefined) return { text: "" };
  if (score.value === null || score.value === undefined)
    return { text: "unscored", title: score.reason ?? undefined, tone: "muted" };
  const text = score.isBoolean ? (score.value === 1 ? "yes" : "no") : formatScore(score.value);
  return { text, title: score.reason ?? undefined };
}

/** Returns why the loop of a run ended, with the colour of that reason. Empty if no reason is recorded. */
export function exitText(result: CellResult): CellText {
  const reason = result.exitReason;
  if (!reason) return { text: "" };
  return {
    text: exitTitle(reason as ExitReason),
    tone: exitTone(reason as ExitReason, result.exhausted ?? false),
  };
}

const STATUS: Record<CellResult["status"], string> = {
  running: "running…",
  completed: "",
  failed: "failed",
  over_budget: "no budget left",
  cancelled: "stopped",
};

function outputText(result: CellResult | null | undefined): CellText {
  if (!result) return { text: "" };
  if (result.status === "completed") return shortened(result.output);
  return {
    text: result.error ?? STATUS[result.status],
    title: result.error ?? undefined,
    tone: result.status === "failed" ? "failed" : "muted",
  };
}

export const costOf = (result: CellResult): number => (result.spent?.microUsd ?? 0) / 1e6;

export const variantNames = (evaluation: Evaluation): string[] =>
  evaluation.variants?.length ? evaluation.variants.map(({ name }) => name) : ["flow"];

/**
 * Returns the columns of the grid. `inputs` contains the names of the flow's inputs as the cases spell them.
 */
export function columnsOf(
  evaluation: Evaluation,
  inputs: readonly string[],
  hasExpected: boolean,
  hasResults: boolean,
): Column[] {
  const columns: Column[] = inputs.map((name) => ({
    id: `input.${name}`,
    title: name,
    group: null,
    width: 220,
    cell: null,
    read: (row) => shortened(row.case.inputs[name]),
  }));
  if (hasExpected)
    columns.push({
      id: "expected",
      title: "Expected",
      group: null,
      width: 180,
      cell: null,
      read: (row) => shortened(row.case.expected),
    });
  if (!hasResults) return columns;
  const repetitions = evaluation.repetitions ?? 1;
  variantNames(evaluation).forEach((variant, v) => {
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const cell = v * repetitions + repetition;
      const group = repetitions > 1 ? `${variant}, ${repetition + 1} of ${repetitions}` : variant;
      const add = (
        id: string,
        title: string,
        width: number,
        read: (result: CellResult) => CellText,
        isNumber = true,
      ) =>
        columns.push({
          id: `${cell}.${id}`,
          title,
          group,
          width,
          cell,
          isNumber,
          read: (row) => {
            const result = row.cells[cell];
            return result ? read(result) : { text: "" };
          },
        });
      add("output", "Output", 240, outputText, false);
      evaluation.scorers.forEach((scorer, i) => {
        add(`score${i}`, scorer.name, 84, (result) => scoreText(result.scores?.[i]));
      });
      add("iterations", "Iterations", 76, (result) => ({ text: String(result.iterationCount ?? "") }));
      add("exit", "Exit reason", 142, exitText, false);
      // The cost and duration of a run are shown once it has ended.
      const ended = (read: (result: CellResult) => string) => (result: CellResult) => ({
        text: result.status === "running" ? "" : read(result),
      });
      add(
        "cost",
        "Cost",
        76,
        ended((result) => formatUsd(costOf(result))),
      );
      add(
        "time",
        "Time",
        76,
        ended(({ durationMs }) => (durationMs === undefined ? "" : formatDuration(durationMs))),
      );
    }
  });
  return columns;
}
