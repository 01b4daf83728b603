// Exports the tables of charts as CSV, and charts as SVG files that any viewer can show.
export interface Table {
  head: readonly string[];
  rows: readonly (readonly (string | number)[])[];
}

/** Returns CSV according to RFC 4180: a field with a comma, a quote or a line break is quoted. */
export function csvOf({ head, rows }: Table): string {
  const field = (value: string | number) => {
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return [head, ...rows].map((row) => row.map(field).join(",")).join("\r\n");
}

/**
 * Returns a chart as the text of an SVG file that does not depend on the page: design tokens are replaced by
 * their colours, and the background is painted.
 */
export function portableSvg(drawing: SVGSVGElement): string {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim() || "#888";
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("font-family", "Inter, sans-serif");
  copy.setAttribute("style", `background: ${token("--bg-canvas")}; color: ${token("--text-3")}`);
  return new XMLSerializer()
    .serializeToString(copy)
    .replace(/var\((--[\w-]+)\)/g, (_, name: string) => token(name));
}
