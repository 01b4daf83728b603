// The question that the page asks: which days, which workflow, and what the bars show.
import { create } from "zustand";
import type { CostGroup, CostQuery, CostSum } from "../../ipc/generated/bindings";
import { formatCount, formatUsd } from "../../runs/words/format";

/** The measure that the bars show. */
export type Measure = "cost" | "tokens" | "calls";

/** The spans of days that can be chosen; `days` are typed by the user. */
export type Span = "7d" | "30d" | "90d" | "year" | "all" | "days";

export const SPANS: readonly { value: Span; label: string }[] = [
  { value: "7d", label: "Last 7 days" },
  { value: "30d", label: "Last 30 days" },
  { value: "90d", label: "Last 90 days" },
  { value: "year", label: "This year" },
  { value: "all", label: "All days" },
  { value: "days", label: "Custom range" },
];

export const GROUPS: readonly { value: CostGroup; label: string }[] = [
  { value: "day", label: "Day" },
  { value: "flow", label: "Workflow" },
  { value: "model", label: "Model" },
  { value: "node", label: "Node" },
  { value: "schedule", label: "Schedule" },
];

export const MEASURES: readonly { value: Measure; label: string }[] = [
  { value: "cost", label: "Cost" },
  { value: "tokens", label: "Tokens" },
  { value: "calls", label: "Calls" },
];

interface Question {
  by: CostGroup;
  parts: CostGroup;
  measure: Measure;
  span: Span;
  /** The days that the user typed: first and last. They apply if the span is `days`. */
  first: string;
  last: string;
  /** The name of the only workflow to include; null for all. */
  flow: string | null;
  ask(change: Partial<Omit<Question, "ask">>): void;
}

export const useQuestion = create<Question>((set) => ({
  by: "day",
  parts: "model",
  measure: "cost",
  span: "30d",
  first: "",
  last: "",
  flow: null,
  ask: set,
}));

/** Returns whether a string has the form of a day such as 2026-01-31. */
export const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

/** Returns the query for a question, or null while a typed day is incomplete. `year` is the current year. */
export function queryOf(question: Omit<Question, "ask">, year: number): CostQuery | null {
  const { by, parts, span, first, last, flow } = question;
  const isTyped = span === "days";
  if (isTyped && !(isDay(first) && isDay(last))) return null;
  const since = isTyped ? first : span === "year" ? `${year}-01-01` : span;
  return { by, parts, since, until: isTyped ? last : null, flow };
}

const tokens = (sum: CostSum) => sum.inputTokens + sum.outputTokens;

/** Returns a measure of a sum: dollars, tokens or calls. An unknown cost counts as 0. */
export const amountOf = (sum: CostSum, measure: Measure): number =>
  measure === "cost" ? (sum.usd ?? 0) : measure === "tokens" ? tokens(sum) : sum.calls;

export const formatValue = (value: number, measure: Measure): string =>
  measure === "cost" ? formatUsd(value) : formatCount(value);
