// Converts durations: ISO 8601 in the document, "2 min 30 s" for people, milliseconds in between. Pure.

const ISO =
  /^P(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Parses an ISO 8601 duration of weeks, days, hours, minutes and seconds. Returns milliseconds; null if it is
 * invalid.
 */
export function durationToMs(iso: string): number | null {
  const match = ISO.exec(iso.trim());
  if (!match || iso.trim() === "P" || iso.trim().endsWith("T")) return null;
  const [weeks, days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
  return Math.round(
    (weeks ?? 0) * 7 * DAY +
      (days ?? 0) * DAY +
      (hours ?? 0) * HOUR +
      (minutes ?? 0) * MINUTE +
      (seconds ?? 0) * SECOND,
  );
}

/** Returns the shortest common form: "PT2M", "PT1M30S", "PT0.5S". */
export function msToDuration(ms: number): string {
  const hours = Math.floor(ms / HOUR);
  const minutes = Math.floor((ms % HOUR) / MINUTE);
  const seconds = (ms % MINUTE) / SECOND;
  const parts = [hours && `${hours}H`, minutes && `${minutes}M`, seconds && `${seconds}S`].filter(Boolean);
  return parts.length > 0 ? `PT${parts.join("")}` : "PT0S";
}

/** The number of milliseconds in each unit, keyed by every spelling of the unit. */
const UNITS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    [["ms", "msec", "millisecond", "milliseconds"], 1],
    [["s", "sec", "secs", "second", "seconds"], SECOND],
    [["m", "min", "mins", "minute", "minutes"], MINUTE],
    [["h", "hr", "hrs", "hour", "hours"], HOUR],
    [["d", "day", "days"], DAY],
  ].flatMap(([words, ms]) => (words as string[]).map((word) => [word, ms as number])),
);

const PART = /\s*(\d+(?:[.,]\d+)?)\s*([a-z]*)\.?\s*(?:and\b|,)?/gy;
const CLOCK = /^(\d+):([0-5]\d)(?::([0-5]\d))?$/;

/**
 * Parses a duration typed by the user: "5 s", "2 min", "1h 30m", "1.5 hours", "1:30" (minutes and seconds),
 * "PT5M". A number alone is in seconds. Returns milliseconds; null for anything else.
 */
export function readDuration(text: string): number | null {
  const written = text.trim();
  const clock = CLOCK.exec(written);
  if (clock) {
    const [a, b, c] = clock.slice(1).map((part) => (part === undefined ? null : Number(part)));
    return c === null || c === undefined
      ? (a ?? 0) * MINUTE + (b ?? 0) * SECOND
      : (a ?? 0) * HOUR + (b ?? 0) * MINUTE + c * SECOND;
  }
  if (/^p/i.test(written)) return durationToMs(written.toUpperCase());
  const lower = written.toLowerCase();
  let total = 0;
  let parts = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < lower.length) {
    const match = PART.exec(lower);
    if (!match) return null;
    const [, number = "", unit = ""] = match;
    const ms = UNITS[unit];
    // A number without a unit is in seconds, but only on its own: "5 min 3" is ambiguous.
    if (ms === undefined && (unit !== "" || parts > 0 || PART.lastIndex < lower.length)) return null;
    total += Number(number.replace(",", ".")) * (ms ?? SECOND);
    parts += 1;
  }
  return parts === 0 ? null : Math.round(total);
}

/** Formats milliseconds for people: "500 ms", "5 s", "2 min 30 s", "1 h". */
export function writeDuration(ms: number): string {
  if (ms === 0) return "0 s";
  const parts: string[] = [];
  let rest = ms;
  for (const [unit, size] of [
    ["d", DAY],
    ["h", HOUR],
    ["min", MINUTE],
  ] as const) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(`${count} ${unit}`);
    rest -= count * size;
  }
  if (rest > 0 && parts.length === 0 && rest < SECOND) return `${rest} ms`;
  if (rest > 0) parts.push(`${rest / SECOND} s`);
  return parts.join(" ");
}
