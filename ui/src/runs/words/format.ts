// How durations, costs and counts are written, the same everywhere in the window.
import {
  EXIT_REASONS,
  type ExitFamily,
  type ExitReason,
  type RunStatus,
  type Usage,
} from "../../ipc/generated/bindings";
import { failedItself, type LoopRecord } from "../fold/model";

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export function formatCount(n: number): string {
  return WHOLE.format(n);
}

/** "420 ms", "9.4 s", "2 m 12 s", "1 h 05 m". */
export function formatDuration(ms: number | null): string {
  if (ms === null || !Number.isFinite(ms)) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const two = (n: number) => String(n).padStart(2, "0");
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor((seconds % 3600) / 60))} m`;
}

/** "$0.0098", "$0.12"; a cost under a cent keeps two digits that mean something. */
export function formatUsd(usd: number): string {
  if (usd === 0) return "$0";
  if (usd > 0 && usd < 0.00005) return "< $0.0001";
  if (usd < 0.01) return `$${usd.toFixed(4)}`;
  if (usd < 0.1) return `$${usd.toFixed(3)}`;
  return `$${usd.toFixed(2)}`;
}

/** What a usage cost: a price, nothing, or not known. Built-in models run here and cost nothing. */
export function formatCost(usage: Usage): string {
  if (usage.calls === 0) return "no calls";
  if (usage.cost_usd === null) return "not known";
  return usage.cost_usd === 0 ? "free" : formatUsd(usage.cost_usd);
}

export function totalTokens(usage: Usage): number {
  return usage.input_tokens + usage.output_tokens;
}

/** How many of the calls were cut off: "2 cut off"; empty where none was. */
export const cutOffWords = ({ cut_off_calls: calls = 0 }: Usage): string =>
  calls === 0 ? "" : `${formatCount(calls)} cut off`;

/** "5 calls"; "2 calls, 2 cut off". */
export const callWords = (usage: Usage): string =>
  [plural(usage.calls, "call"), cutOffWords(usage)].filter(Boolean).join(", ");

/** "1 call", "5 calls". */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${formatCount(n)} ${n === 1 ? one : many}`;
}

type ExitInfo = { readonly title: string; readonly meaning: string; readonly family: ExitFamily };

const EXITS: ReadonlyMap<ExitReason, ExitInfo> = new Map(EXIT_REASONS.map((info) => [info.reason, info]));

/** Why a node was skipped, to stand behind a word that says that it was. The recorded reason says so itself. */
export const skipWords = (reason: string): string => reason.replace(/^not run: /, "");

/** What people call a reason to leave a loop: "Evaluator satisfied". */
export function exitTitle(reason: ExitReason): string {
  return EXITS.get(reason)?.title ?? reason;
}

/** The title with the code that files and the command line use, for a tooltip: "Evaluator satisfied (evaluator_done)". */
export const exitTip = (reason: ExitReason): string => `${exitTitle(reason)} (${reason})`;

/** What becomes of a step one of whose attempts failed: "Waits 4 s, try 2 of 4", then "Try 2 of 4". */
export function retryWords(
  attempts: number,
  { until, of }: { until: number; of: number | null },
  now: number,
): string {
  const seconds = Math.ceil((until - now) / 1000);
  // A person may have asked for more.
  const which = of === null || attempts > of ? `${attempts}` : `${attempts} of ${of}`;
  return seconds > 0 ? `Waits ${seconds} s, try ${which}` : `Try ${which}`;
}

/** What is said of an answer that does not move: "No word for 30 s, gives up after 2 min". */
export function silenceWords({ since, limitMs }: { since: number; limitMs: number }, now: number): string {
  const seconds = Math.max(0, Math.floor((now - since) / 1000));
  return `No word for ${wholeTime(seconds)}, gives up after ${wholeTime(Math.round(limitMs / 1000))}`;
}

/** "45 s", "2 min", "2 min 5 s" */
function wholeTime(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)} min${rest === 0 ? "" : ` ${rest} s`}`;
}

/**
 * The same with what it came to: a loop that ran out of iterations did not meet its exit, and one may fail without any of
 * its nodes. Empty while it is under way.
 */
export function exitMeaning(loop: Pick<LoopRecord, "exitReason" | "exhausted" | "iterations">): string {
  const { exitReason: reason, exhausted } = loop;
  if (reason === null) return "";
  if (exhausted && reason === "max_iterations")
    return "All iterations ran, and the exit that was asked for was not met.";
  return failedItself(loop)
    ? "The loop itself failed, and none of its nodes."
    : (EXITS.get(reason)?.meaning ?? "");
}

/**
 * How a loop ended, in a run with that status. A run that was asked to go as far as one node ends the loops around it: nobody stopped
 * it, and it is done.
 */
export function exitWords(
  loop: Pick<LoopRecord, "exitReason" | "exhausted" | "iterations"> & { readonly exitReason: ExitReason },
  status: RunStatus | undefined,
  past: { readonly first: number; readonly total: number | null } | null = null,
): { title: string; meaning: string; tone: Tone } {
  const { exitReason: reason, exhausted } = loop;
  if (reason === "cancelled" && status === "completed")
    return { title: "Ran to here", meaning: "The run was asked to end here.", tone: "tone-settled" };
  // All iterations ran, and Exit was reached before: that is no exit condition that was met.
  if (past !== null && reason === "max_iterations")
    return {
      title: exitTitle(reason),
      meaning: `Exit reached in iteration ${past.first}; runs all ${past.total ?? "iterations"}.`,
      tone: "tone-limit",
    };
  return { title: exitTitle(reason), meaning: exitMeaning(loop), tone: exitTone(reason, exhausted) };
}

/** A class of the stylesheet. */
export type Tone = "tone-met" | "tone-settled" | "tone-limit" | "tone-failed" | "tone-stopped";

const TONES: Record<ExitFamily, Tone> = {
  met: "tone-met",
  settled: "tone-settled",
  limit: "tone-limit",
  failed: "tone-failed",
  stopped: "tone-stopped",
};

/** The colour of an exit reason's family. An exhausted loop never looks like one that met its exit. */
export function exitTone(reason: ExitReason, exhausted = false): Tone {
  const tone = TONES[EXITS.get(reason)?.family ?? "met"];
  return exhausted && (tone === "tone-met" || tone === "tone-settled") ? "tone-limit" : tone;
}

const DAY = 86_400_000;

// Made once: to make a format costs the web view a millisecond, to use it a few microseconds, and lists use them by the hundred.
const WEEKDAY = new Intl.DateTimeFormat("en-GB", { weekday: "long" });
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });
const CLOCK_TO_SECOND = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** The beginning of a time's day, in milliseconds. */
export function dayStart(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}

/** "Today", "Yesterday", "Monday", or the date. */
export function formatDay(time: number, now: number): string {
  const days = Math.round((dayStart(now) - dayStart(time)) / DAY);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days < 7) return WEEKDAY.format(time);
  return DATE.format(time);
}

/** "14:02". */
export function formatClock(time: number): string {
  return CLOCK.format(time);
}

/** "14:02:07": tells apart what began within a minute. */
export function formatClockToSecond(time: number): string {
  return CLOCK_TO_SECOND.format(time);
}

/** "just now", "12 min ago", "today 13:40", "yesterday 09:31", "Monday", or the date. */
export function formatAgo(time: number, now: number): string {
  const minutes = Math.floor((now - time) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const day = formatDay(time, now);
  return day === "Today" || day === "Yesterday" ? `${day.toLowerCase()} ${formatClock(time)}` : day;
}
