// How far a loop is from each of its ways out. Pure.
import type { ExitReason, Json } from "../../ipc/generated/bindings";
import { formatDuration, formatUsd } from "../../runs/format";
import type { LoopRecord } from "../../runs/model";
import { durationToMs } from "../form/duration";

export type ExitRow = {
  readonly reason: ExitReason;
  /** Whether this loop can end this way. */
  readonly on: boolean;
  readonly says: string;
  /** How near it is, 0 to 1. */
  readonly near: number;
  readonly fired: boolean;
};

type Data = Readonly<Record<string, Json>>;
const number = (value: Json, fallback: number): number => (typeof value === "number" ? value : fallback);
const object = (value: Json): Data => (typeof value === "object" && value !== null ? (value as Data) : {});

/** The rows for a loop with this configuration, the one it is asked to end by first. */
export function exitWatch(loop: LoopRecord, data: Data, elapsedMs: number): ExitRow[] {
  const mode = typeof data.exitCondition === "string" ? data.exitCondition : "max_iterations";
  const fired = (reason: ExitReason) => loop.exitReason === reason;
  const finished = loop.iterations.filter((i) => i.status === "completed");
  const last = finished.at(-1);
  const rows: ExitRow[] = [];

  if (mode === "evaluator" || fired("evaluator_done")) {
    const score = last?.score ?? null;
    rows.push({
      reason: "evaluator_done",
      on: true,
      says: fired("evaluator_done")
        ? `iteration ${loop.current}`
        : score === null
          ? "not yet"
          : `score ${score}`,
      near: fired("evaluator_done") ? 1 : 0,
      fired: fired("evaluator_done"),
    });
  }
  if (mode === "condition" || fired("condition_met")) {
    const check = loop.checks.at(-1);
    rows.push({
      reason: "condition_met",
      on: true,
      says: check === undefined ? "not checked yet" : fired("condition_met") ? "holds" : "does not hold",
      near: fired("condition_met") ? 1 : 0,
      fired: fired("condition_met"),
    });
  }
  const threshold = number(data.stabilityThreshold, 0.95);
  const similarity = finished.findLast((i) => i.similarity !== null)?.similarity ?? null;
  const stable: ExitRow = {
    reason: "stable_output",
    on: mode === "stable_output",
    says:
      mode === "stable_output"
        ? `${similarity === null ? "–" : similarity.toFixed(2)} / ${threshold}`
        : similarity === null
          ? "off"
          : `off · ${similarity.toFixed(2)}`,
    near: similarity === null ? 0 : Math.min(1, similarity / threshold),
    fired: fired("stable_output"),
  };
  if (stable.on) rows.push(stable);
  rows.push({
    reason: "max_iterations",
    on: true,
    says: loop.total === null ? String(loop.current) : `${loop.current} / ${loop.total}`,
    near: loop.total === null ? 0 : Math.min(1, loop.current / loop.total),
    fired: fired("max_iterations"),
  });
  const limits = object(data.limits);
  const limit = typeof limits.timeout === "string" ? durationToMs(limits.timeout) : null;
  if (limit !== null || fired("timeout")) {
    rows.push({
      reason: "timeout",
      on: true,
      says:
        limit === null
          ? formatDuration(elapsedMs)
          : `${formatDuration(elapsedMs)} / ${formatDuration(limit)}`,
      near: limit === null ? 0 : Math.min(1, elapsedMs / limit),
      fired: fired("timeout"),
    });
  }
  const budget = typeof limits.budgetUsd === "number" ? limits.budgetUsd : null;
  if (budget !== null || fired("budget_exceeded")) {
    const spent = loop.iterations.reduce((sum, i) => sum + (i.usage.cost_usd ?? 0), 0);
    rows.push({
      reason: "budget_exceeded",
      on: true,
      says: budget === null ? formatUsd(spent) : `${formatUsd(spent)} / ${formatUsd(budget)}`,
      near: budget === null ? 0 : Math.min(1, spent / Math.max(budget, 1e-9)),
      fired: fired("budget_exceeded"),
    });
  }
  if (!stable.on) rows.push(stable);
  const failed = loop.iterations.some((i) => i.status === "failed") || fired("error");
  rows.push({
    reason: "error",
    on: failed,
    says: failed ? "a node failed" : "none",
    near: failed ? 1 : 0,
    fired: fired("error"),
  });
  if (fired("cancelled")) rows.push({ reason: "cancelled", on: true, says: "stopped", near: 1, fired: true });
  return rows;
}
