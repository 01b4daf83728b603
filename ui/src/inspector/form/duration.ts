// ISO 8601 durations, as the document keeps them, to and from milliseconds. Pure.

const ISO = /^P(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** Milliseconds, or null for what is no duration of days, hours, minutes and seconds. */
export function durationToMs(iso: string): number | null {
  const match = ISO.exec(iso.trim());
  if (!match || iso.trim() === "P" || iso.trim().endsWith("T")) return null;
  const [, days = "0", hours = "0", minutes = "0", seconds = "0"] = match;
  return Math.round(
    ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000,
  );
}

/** The shortest usual form: "PT2M", "PT1M30S", "PT0.5S". */
export function msToDuration(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  const parts = [hours && `${hours}H`, minutes && `${minutes}M`, seconds && `${seconds}S`].filter(Boolean);
  return parts.length > 0 ? `PT${parts.join("")}` : "PT0S";
}
