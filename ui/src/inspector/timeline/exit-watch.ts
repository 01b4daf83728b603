// Computes how close a loop is to each of its exit conditions. Pure.
import type { ExitChoice, ExitReason, Json } from "../../ipc/generated/bindings";
import { failedItself, type Iteration, type LoopRecord } from "../../runs/fold/model";
import { exitTone, formatCount, formatDuration, formatUsd, type Tone } from "../../runs/words/format";
import { durationToMs } from "../form/duration";
import { type Distance, distanceOf, lookupIn } from "./distance";

export type ExitRow = {
  readonly key: string;
  readonly reason: ExitReason;
  /** Whether this exit condition is enabled for the loop. */
  readonly on: boolean;
  readonly says: string;
  /** The progress from 0 to 1. */
  readonly near: number;
  readonly fired: boolean;
  /**
   * The colour of the row once its exit has fired; null before that. An exhausted loop never has the colour
   * of a loop that met its exit condition.
   */
  readonly tone: Tone | null;
};

type Data = Readonly<Record<string, Json>>;
const number = (value: Json): number => (typeof value === "number" ? value : 0);
const object = (value: Json): Data => (typeof value === "object" && value !== null ? (value as Data) : {});

export type Watched = {
  readonly loop: LoopRecord;
  /** The Loop's settings in the run, including defaults. */
  readonly data: Data;
  /** The exit conditions that the kind of the loop offers. */
  readonly exits: readonly ExitChoice[];
  /** The duration of all iterations so far, in milliseconds. */
  readonly elapsedMs: number;
  /** The duration of the running iteration, or of the last one if none is running, in milliseconds. */
  readonly iterationMs: number;
  /**
   * The similarity of the last two results as computed by the chart, for a loop that the engine does not
   * measure.
   */
  readonly similarity?: number | null;
  /**
   * The rule by which the evaluator ends the loop, with the evaluator's node; null if the rule cannot be
   * determined.
   */
  readonly rule?: { readonly node: string; readonly when: string } | null;
};

/** Returns the rows of an iterator: its items, its error, and whether the user stopped it. */
export function itemWatch(loop: LoopRecord): ExitRow[] {
  const done = loop.iterations.filter((i) => i.status !== "running").length;
  const row = rowOf(loop);
  return [
    row(
      "completed",
      loop.total === null ? formatCount(done) : `${formatCount(done)} / ${formatCount(loop.total)}`,
      loop.total === null ? 0 : done / Math.max(1, loop.total),
    ),
    errorRow(loop, row),
    ...(loop.exitReason === "cancelled" ? [row("cancelled", "stopped", 1)] : []),
  ];
}

const rowOf =
  (loop: LoopRecord): MakeRow =>
  (reason, says, near, more = {}) => {
    const fired = more.fired ?? loop.exitReason === reason;
    return {
      key: reason,
      reason,
      on: true,
      says,
      near: fired ? 1 : Math.max(0, Math.min(1, near)),
      fired,
      tone: fired ? exitTone(reason, loop.exhausted) : null,
      ...more,
    };
  };

/** Returns the rows of a loop, the chosen exit condition first. */
export function exitWatch(watched: Watched): ExitRow[] {
  const { loop, data, exits } = watched;
  const row = rowOf(loop);
  const fired = (reason: ExitReason) => loop.exitReason === reason;
  const asked = exits
    .filter(({ value, reason }) => reason !== CAP && (value === data.exitCondition || fired(reason)))
    .map(({ reason }) => (ASKED[reason] ?? plainRow(reason))(watched, row));
  const isStable = asked.some((r) => r.reason === "stable_output");
  return [
    ...asked,
    row(
      CAP,
      loop.total === null ? formatCount(loop.current) : `${loop.current} / ${loop.total}`,
      loop.total === null ? 0 : loop.current / loop.total,
    ),
    ...limitRows(watched, row),
    ...(isStable ? [] : [similarityRow(watched, row)]),
    errorRow(loop, row),
    ...(fired("cancelled") ? [row("cancelled", "stopped", 1)] : []),
  ];
}

/** Every loop has a maximum number of iterations, besides its chosen exit condition. */
const CAP: ExitReason = "max_iterations";

/** The exits whose rows show their progress. All others show only whether they were met. */
const ASKED: { readonly [reason in ExitReason]?: (watched: Watched, row: MakeRow) => ExitRow } = {
  evaluator_done: (watched, row) =>
    distanceRow("evaluator_done", evaluatorSays(watched.loop), evaluatorDistance(watched), row),
  condition_met: (watched, row) =>
    distanceRow(
      "condition_met",
      conditionSays(watched.loop, repeatOf(object(watched.data.condition))),
      conditionDistance(watched),
      row,
    ),
  stable_output: (watched, row) => stableRow(watched, row),
  score_plateau: (watched, row) => plateauRow(watched, row),
};

/** Returns the row of an exit for which only the result of the last check is known. */
const plainRow =
  (reason: ExitReason) =>
  ({ loop }: Watched, row: MakeRow): ExitRow => {
    const { exitReason, lastCheck } = loop;
    if (exitReason === reason) return row(reason, `iteration ${loop.current}`, 1);
    return row(reason, lastCheck === null ? "not checked yet" : `not met in ${lastCheck.index + 1}`, 0);
  };

type MakeRow = (reason: ExitReason, says: string, near: number, more?: Partial<ExitRow>) => ExitRow;

const finishedOf = (loop: LoopRecord): Iteration[] => loop.iterations.filter((i) => i.status === "completed");

/**
 * Returns the branch that was taken last in an iteration, which is the verdict of the evaluator; null if no
 * branch was taken.
 */
function verdictOf(iteration: Iteration | undefined): string | null {
  const steps = Object.values(iteration?.scope.steps ?? {}).filter((step) => step.branch !== null);
  return steps.sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0)).at(-1)?.branch ?? null;
}

/**
 * Returns the row of an exit with its progress in figures if that is known, otherwise with the text `says`.
 */
function distanceRow(reason: ExitReason, says: string, distance: Distance | null, row: MakeRow): ExitRow {
  const made = row(reason, says, distance?.near ?? 0);
  return distance === null ? made : { ...made, says: distance.says };
}

/**
 * Returns the progress of the rule that leads to Exit, according to the last finished iteration; null if
 * there is no rule, no finished iteration, or no comparison of known numbers.
 */
function evaluatorDistance({ loop, rule }: Watched): Distance | null {
  const last = finishedOf(loop).at(-1);
  if (!rule || last === undefined) return null;
  const input = last.scope.steps[rule.node]?.inputPreview ?? null;
  return distanceOf(rule.when, "until", lookupIn(last, { input }));
}

const repeatOf = (condition: Readonly<Record<string, unknown>>): "while" | "until" =>
  typeof condition.while === "string" && condition.while !== "" ? "while" : "until";

function conditionDistance({ loop, data }: Watched): Distance | null {
  const last = finishedOf(loop).at(-1);
  const condition = object(data.condition);
  const repeat = repeatOf(condition);
  const expression = condition[repeat];
  // If the condition is tested before an iteration, the values that it will read are not available yet.
  if (last === undefined || typeof expression !== "string" || condition.test !== "after") return null;
  return distanceOf(expression, repeat, lookupIn(last));
}

function evaluatorSays(loop: LoopRecord): string {
  const last = finishedOf(loop).at(-1);
  if (loop.exitReason === "evaluator_done") return `iteration ${loop.current}`;
  if (last === undefined) return "not run yet";
  if (last.score !== null) return `score ${last.score}`;
  const verdict = verdictOf(last);
  return verdict === null ? "not yet" : `last: ${verdict}`;
}

/**
 * Describes the last check. A `while` ends its loop when it becomes false, an `until` when it becomes true.
 */
function conditionSays(loop: LoopRecord, repeat: "while" | "until"): string {
  const check = loop.lastCheck;
  if (check === null) return failedItself(loop) ? "unknown" : "not checked yet";
  if (loop.exitReason === "condition_met") {
    const ended = repeat === "while" ? "false" : "held";
    return loop.iterations.length === 0 ? `${ended} at once` : `${ended} in ${loop.current}`;
  }
  return check.result ? "holds" : `false in ${check.index + 1}`;
}

/**
 * Returns the row with the similarity of the last two results, for a loop whose exit condition is not a
 * stable output.
 */
function similarityRow({ loop, similarity: charted = null }: Watched, row: MakeRow): ExitRow {
  const similarity = similarityOf(loop) ?? charted;
  const says = similarity === null ? "off" : `off · ${similarity.toFixed(2)}`;
  return row("stable_output", says, similarity ?? 0, { on: false });
}

const similarityOf = (loop: LoopRecord): number | null =>
  finishedOf(loop).findLast((i) => i.similarity !== null)?.similarity ?? null;

function stableRow({ loop, data, similarity: charted = null }: Watched, row: MakeRow): ExitRow {
  const threshold = number(data.stabilityThreshold);
  const patience = Math.max(1, number(data.patience));
  const similarity = similarityOf(loop) ?? charted;
  const running = stableRunning(finishedOf(loop), threshold);
  const value = `${similarity === null ? "–" : similarity.toFixed(2)} / ${threshold}`;
  const near = similarity === null ? 0 : threshold === 0 ? 1 : Math.min(1, similarity / threshold);
  if (patience === 1) return row("stable_output", value, near);
  // Each stable iteration counts as one step of the progress. The current similarity counts as a part of the
  // next step.
  return row(
    "stable_output",
    `${value} · ${Math.min(running, patience)} of ${patience}`,
    (running + near) / (patience + 1),
  );
}

/**
 * Returns a row with the best score so far, and the number of iterations since it last grew by more than the
 * margin.
 */
function plateauRow({ loop, data }: Watched, row: MakeRow): ExitRow {
  const patience = Math.max(1, number(data.patience));
  const scores = finishedOf(loop).flatMap(({ score }) => (score === null ? [] : [score]));
  const best: number[] = [];
  for (const score of scores) best.push(Math.max(score, best.at(-1) ?? score));
  const last = best.at(-1);
  if (last === undefined) return row("score_plateau", "no score yet", 0);
  const since = best.findIndex((score) => !grew(score, last, number(data.plateauDelta)));
  const running = Math.min(best.length - 1 - since, patience);
  return row("score_plateau", `best ${last} · ${running} of ${patience}`, running / patience);
}

/**
 * Returns whether a score grew, by the same rule as the engine: growth equal to the margin, within rounding,
 * does not count.
 */
function grew(before: number, after: number, margin: number): boolean {
  const rounding = margin > 0 ? Number.EPSILON * Math.max(Math.abs(before), Math.abs(after)) : 0;
  return after - before - margin > rounding;
}

/**
 * Returns the number of consecutive iterations, ending with the last finished one, that reached the
 * similarity threshold.
 */
function stableRunning(finished: readonly Iteration[], threshold: number): number {
  let count = 0;
  while (count < finished.length) {
    const similarity = finished[finished.length - 1 - count]?.similarity ?? null;
    if (similarity === null || similarity < threshold) break;
    count += 1;
  }
  return count;
}

function limitRows({ loop, data, elapsedMs, iterationMs }: Watched, row: MakeRow): ExitRow[] {
  const limits = object(data.limits);
  const duration = (name: string) => {
    const value = limits[name];
    return typeof value === "string" ? durationToMs(value) : null;
  };
  const rows: ExitRow[] = [];
  const whole = duration("timeout");
  const each = duration("iterationTimeout");
  const timed = loop.exitReason === "timeout";
  if (whole !== null || (timed && each === null)) {
    const says =
      whole === null ? formatDuration(elapsedMs) : `${formatDuration(elapsedMs)} / ${formatDuration(whole)}`;
    // Both time limits end the loop with the same reason. The limit that was reached is the one that fired.
    const reached = timed && (each === null || (whole !== null && elapsedMs >= whole));
    rows.push(
      row("timeout", says, whole === null ? 0 : elapsedMs / whole, { fired: reached, ...tone(reached) }),
    );
  }
  if (each !== null) {
    const reached = timed && !rows.some((r) => r.fired);
    rows.push(
      row("timeout", `${formatDuration(iterationMs)} / ${formatDuration(each)} each`, iterationMs / each, {
        key: "timeout-each",
        fired: reached,
        ...tone(reached),
      }),
    );
  }
  rows.push(...budgetRows(loop, limits, row), ...progressRows(loop, limits, row));
  return rows;
}

function progressRows(loop: LoopRecord, limits: Data, row: MakeRow): ExitRow[] {
  const fired = loop.exitReason === "no_progress";
  if (!fired && (limits.noProgress ?? null) === null) return [];
  const rounds = object(limits.noProgress).rounds;
  const most = typeof rounds === "number" ? rounds : 2;
  const says = fired ? "nothing changed" : `after ${most === 1 ? "one iteration" : `${most} in a row`}`;
  return [row("no_progress", says, fired ? 1 : 0)];
}

const tone = (fired: boolean): { tone: Tone | null } => ({ tone: fired ? exitTone("timeout", true) : null });

function budgetRows(loop: LoopRecord, limits: Data, row: MakeRow): ExitRow[] {
  const usd = typeof limits.budgetUsd === "number" ? limits.budgetUsd : null;
  const tokens = typeof limits.budgetTokens === "number" ? limits.budgetTokens : null;
  const fired = loop.exitReason === "budget_exceeded";
  const rows: ExitRow[] = [];
  if (usd !== null || (fired && tokens === null)) {
    const unknown = loop.iterations.some((i) => i.usage.cost_usd === null);
    const spent = loop.iterations.reduce((sum, i) => sum + (i.usage.cost_usd ?? 0), 0);
    const spentText = unknown && spent === 0 ? "not known" : formatUsd(spent);
    rows.push(
      row(
        "budget_exceeded",
        usd === null ? spentText : `${spentText} / ${formatUsd(usd)}`,
        spent / Math.max(usd ?? 1, 1e-9),
      ),
    );
  }
  if (tokens !== null) {
    const used = loop.iterations.reduce((sum, i) => sum + i.usage.input_tokens + i.usage.output_tokens, 0);
    rows.push(
      row(
        "budget_exceeded",
        `${formatCount(used)} / ${formatCount(tokens)} tok`,
        used / Math.max(tokens, 1),
        {
          key: "budget-tokens",
        },
      ),
    );
  }
  return rows;
}

function errorRow(loop: LoopRecord, row: MakeRow): ExitRow {
  const failed = loop.iterations.some((i) => i.status === "failed") || loop.exitReason === "error";
  const what = failedItself(loop) ? "the loop itself" : "a node failed";
  return row("error", failed ? what : "none", failed ? 1 : 0, { on: failed });
}
