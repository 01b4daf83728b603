// Formats durations, costs and counts, the same everywhere in the window.
import {
  EXIT_REASONS,
  type ExitFamily,
  type ExitReason,
  type RunStatus,
  type SkipCause,
  type Usage,
} from "../../ipc/generated/bindings";
import { failedItself, type LoopRecord } from "../fold/model";

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export function formatCount(n: number): string {
  return WHOLE.format(n);
}

/** Formats a duration in milliseconds: "420 ms", "9.4 s", "2 m 12 s", "1 h 05 m", or "–" if it is unknown. */
export function formatDuration(ms: number | null): string {
  if (ms === null || !Number.isFinite(ms)) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const two = (n: number) => String(n).padStart(2, "0");
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor((seconds % 3600) / 60))} m`;
}

/**
 * Formats dollars: "$0.0098", "$0.12". Amounts under a cent have four decimals, and other amounts under ten
 * cents have three.
 */
export function formatUsd(usd: number): string {
  if (usd === 0) return "$0";
  if (usd > 0 && usd < 0.00005) return "< $0.0001";
  if (usd < 0.01) return `$${usd.toFixed(4)}`;
  if (usd < 0.1) return `$${usd.toFixed(3)}`;
  return `$${usd.toFixed(2)}`;
}

/** Formats the cost of a usage: a price, free, or unknown. Calls of built-in models cost nothing. */
export function formatCost(usage: Usage): string {
  if (usage.calls === 0) return "no calls";
  if (usage.cost_usd === null) return "not known";
  return usage.cost_usd === 0 ? "free" : formatUsd(usage.cost_usd);
}

export function totalTokens(usage: Usage): number {
  return usage.input_tokens + usage.output_tokens;
}

/** Formats the number of calls that were cut off: "2 cut off". Empty if there were none. */
export const cutOffWords = ({ cut_off_calls: calls = 0 }: Usage): string =>
  calls === 0 ? "" : `${formatCount(calls)} cut off`;

/** Formats the number of calls: "5 calls"; "2 calls, 2 cut off". */
export const callWords = (usage: Usage): string =>
  [plural(usage.calls, "call"), cutOffWords(usage)].filter(Boolean).join(", ");

/** Formats a number with its noun: "1 call", "5 calls". */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${formatCount(n)} ${n === 1 ? one : many}`;
}

type ExitInfo = { readonly title: string; readonly meaning: string; readonly family: ExitFamily };

const EXITS: ReadonlyMap<ExitReason, ExitInfo> = new Map(EXIT_REASONS.map((info) => [info.reason, info]));

/**
 * Formats the reason a node was skipped, for display after the word "skipped". The recorded reason for the
 * last iteration also contains that word, so the reason is replaced.
 */
export const skipWords = (cause: SkipCause | null, reason: string): string =>
  cause === "last_iteration" ? "last iteration" : reason;

/** Returns the displayed title of a loop's exit reason: "Evaluator satisfied". */
export function exitTitle(reason: ExitReason): string {
  return EXITS.get(reason)?.title ?? reason;
}

/**
 * Returns the title with the code used in files and on the command line, for a tooltip: "Evaluator satisfied
 * (evaluator_done)".
 */
export const exitTip = (reason: ExitReason): string => `${exitTitle(reason)} (${reason})`;

/** Describes a step after a failed attempt: "Attempt 2 of 4 in 4 s", then "Attempt 2 of 4". */
export function retryWords(
  attempts: number,
  { until, of }: { until: number; of: number | null },
  now: number,
): string {
  const seconds = Math.ceil((until - now) / 1000);
  // The user may have requested more attempts than the maximum.
  const which = of === null || attempts > of ? `${attempts}` : `${attempts} of ${of}`;
  return seconds > 0 ? `Attempt ${which} in ${seconds} s` : `Attempt ${which}`;
}

/** Describes how long an answer has been silent: "No data for 30 s, times out after 2 min". */
export function silenceWords({ since, limitMs }: { since: number; limitMs: number }, now: number): string {
  const seconds = Math.max(0, Math.floor((now - since) / 1000));
  return `No data for ${wholeTime(seconds)}, times out after ${wholeTime(Math.round(limitMs / 1000))}`;
}

/**
 * Describes a wait for a quota: "Waits for Anthropic's quota until 14:32", with the date if that is on
 * another day.
 */
export function quotaWords({ name, until }: { name: string; until: number }, now: number): string {
  return `Waits for ${name}'s quota until ${formatMoment(until, now)}`;
}

/**
 * Says when a question expires and what it then counts as: "Expires at 14:32 and then counts as rejected."
 */
export function expiryWords(at: number, approves: boolean, now: number): string {
  const counts = approves ? "approved" : "rejected";
  return at <= now
    ? `Expired. It counts as ${counts}.`
    : `Expires at ${formatMoment(at, now)} and then counts as ${counts}.`;
}

/** Formats whole seconds: "45 s", "2 min", "2 min 5 s". */
function wholeTime(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)} min${rest === 0 ? "" : ` ${rest} s`}`;
}

/**
 * Explains a loop's exit reason together with its result: a loop that ran out of iterations did not meet its
 * exit condition, and a loop can fail although no node in it failed. Empty while the loop is running.
 */
export function exitMeaning(loop: Pick<LoopRecord, "exitReason" | "exhausted" | "iterations">): string {
  const { exitReason: reason, exhausted } = loop;
  if (reason === null) return "";
  if (exhausted && reason === "max_iterations")
    return "All iterations ran, and the exit condition was not met.";
  return failedItself(loop)
    ? "The loop itself failed, not one of its nodes."
    : (EXITS.get(reason)?.meaning ?? "");
}

/**
 * Describes how a loop ended in a run with this status. In a run limited to one node, the loops around the
 * node count as done, not stopped.
 */
export function exitWords(
  loop: Pick<LoopRecord, "exitReason" | "exhausted" | "iterations"> & { readonly exitReason: ExitReason },
  status: RunStatus | undefined,
  past: { readonly first: number; readonly total: number | null } | null = null,
): { title: string; meaning: string; tone: Tone } {
  const { exitReason: reason, exhausted } = loop;
  if (reason === "cancelled" && status === "completed")
    return { title: "Ran to here", meaning: "The run was asked to end here.", tone: "tone-settled" };
  // All iterations ran although a value reached the Exit earlier, so no exit condition was met.
  if (past !== null && reason === "max_iterations")
    return {
      title: exitTitle(reason),
      meaning: `Exit was reached in iteration ${past.first}, but the loop runs all ${past.total === null ? "" : `${past.total} `}iterations.`,
      tone: "tone-limit",
    };
  return { title: exitTitle(reason), meaning: exitMeaning(loop), tone: exitTone(reason, exhausted) };
}

/** The class name of a colour in the stylesheet. */
export type Tone = "tone-met" | "tone-settled" | "tone-limit" | "tone-failed" | "tone-stopped";

const TONES: Record<ExitFamily, Tone> = {
  met: "tone-met",
  settled: "tone-settled",
  limit: "tone-limit",
  failed: "tone-failed",
  stopped: "tone-stopped",
};

/** Returns the colour class of an exit reason. An exhausted loop never looks like one that met its exit. */
export function exitTone(reason: ExitReason, exhausted = false): Tone {
  const tone = TONES[EXITS.get(reason)?.family ?? "met"];
  return exhausted && (tone === "tone-met" || tone === "tone-settled") ? "tone-limit" : tone;
}

const DAY = 86_400_000;

// The formats are created once: creating one takes about a millisecond, using it a few microseconds, and
// lists use hundreds.
const WEEKDAY = new Intl.DateTimeFormat("en-GB", { weekday: "long" });
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });
const SHORT_DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const CLOCK_TO_SECOND = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const EXACT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** Returns the start of the local day that contains a time, in milliseconds since the epoch. */
export function dayStart(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}

/** Formats a day: "Today", "Yesterday", "Monday", or the date. */
export function formatDay(time: number, now: number): string {
  const days = Math.round((dayStart(now) - dayStart(time)) / DAY);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days < 7) return WEEKDAY.format(time);
  return DATE.format(time);
}

/** Formats a time: "14:02". */
export function formatClock(time: number): string {
  return CLOCK.format(time);
}

/** Formats a time, with the date if that is not the date of `now`: "14:32", "3 Dec, 06:00". */
export function formatMoment(time: number, now: number): string {
  const day = dayStart(time) === dayStart(now) ? "" : `${SHORT_DATE.format(time)}, `;
  return `${day}${formatClock(time)}`;
}

/** Formats a time with seconds, to distinguish events within one minute: "14:02:07". */
export function formatClockToSecond(time: number): string {
  return CLOCK_TO_SECOND.format(time);
}

/** Formats a date with its time: "2 Mar 2026, 14:02:07". */
export function formatExact(time: number): string {
  return EXACT.format(time);
}

/** Formats a past time: "just now", "12 min ago", "today 13:40", "yesterday 09:31", "Monday", or the date. */
export function formatAgo(time: number, now: number): string {
  const minutes = Math.floor((now - time) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const day = formatDay(time, now);
  return day === "Today" || day === "Yesterday" ? `${day.toLowerCase()} ${formatClock(time)}` : day;
}
