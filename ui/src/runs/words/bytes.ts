// Human-readable sizes. Pure.

/** Formats a size in decimal units, as file managers do: "84 MB", "1.2 GB". */
export function formatBytes(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  const text = value.toFixed(digits);
  return `${text.endsWith(".0") ? text.slice(0, -2) : text} ${units[unit]}`;
}
