// Durations: ISO 8601 as the document keeps them, "2 min 30 s" as people write them, milliseconds in between. Pure.

const ISO =
  /^P(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Milliseconds, or null for what is no duration of weeks, days, hours, minutes and seconds. */
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

/** The shortest usual form: "PT2M", "PT1M30S", "PT0.5S". */
export function msToDuration(ms: number): string {
  const hours = Math.floor(ms / HOUR);
  const minutes = Math.floor((ms % HOUR) / MINUTE);
  const seconds = (ms % MINUTE) / SECOND;
  const parts = [hours && `${hours}H`, minutes && `${minutes}M`, seconds && `${seconds}S`].filter(Boolean);
  return parts.length > 0 ? `PT${parts.join("")}` : "PT0S";
}

/** Words for a unit, with the milliseconds that it stands for. */
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
 * Milliseconds of what a person wrote: "5 s", "2 min", "1h 30m", "1.5 hours", "1:30" (minutes and seconds), "PT5M".
 * A number alone is seconds. Null for anything else.
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
    // Without a unit it is seconds, but only where it stands alone: "5 min 3" says nothing.
    if (ms === undefined && (unit !== "" || parts > 0 || PART.lastIndex < lower.length)) return null;
    total += Number(number.replace(",", ".")) * (ms ?? SECOND);
    parts += 1;
  }
  return parts === 0 ? null : Math.round(total);
}

/** As people write it: "500 ms", "5 s", "2 min 30 s", "1 h". */
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
