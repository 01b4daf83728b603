// A chart, with a table of the same values as its alternative. Observable Plot draws the chart in the colours
// of the tokens, which change with the theme.

import * as Plot from "@observablehq/plot";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { IconButton } from "../../components/Button";
import { saveDrawing } from "./actions";
import styles from "./Chart.module.css";
import { csvOf, portableSvg, type Table } from "./table";

/**
 * The colours of the variants, in the order of the variants. Violet is left out, since it means iterations.
 */
export const SERIES = [
  "var(--cat-ai)",
  "var(--cat-tools)",
  "var(--cat-flow)",
  "var(--wire-bool)",
  "var(--cat-logic)",
  "var(--st-running)",
];

export const seriesColour = (index: number): string => SERIES[index % SERIES.length] ?? "var(--cat-ai)";

interface ChartProps {
  title: string;
  /** A one-sentence description of the content, for screen readers. */
  description: string;
  height: number;
  table: Table;
  /** Returns the marks and scales for a chart of this width, in pixels. */
  options(width: number): Plot.PlotOptions;
  legend?: ReactNode;
  /** The values on which the chart depends. It is redrawn when one of them changes. */
  of: readonly unknown[];
}

/** The width of a chart, in pixels, until its box has been measured. In tests, the box is never measured. */
const DEFAULT_WIDTH = 420;

function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(DEFAULT_WIDTH);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => element.clientWidth > 0 && setWidth(Math.round(element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { box, width };
}

export function Chart({ title, description, height, table, options, legend, of }: ChartProps) {
  const { box, width } = useWidth();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller passes the dependencies of the drawing.
  useEffect(() => {
    const drawing = Plot.plot({
      width,
      height,
      marginLeft: 46,
      marginBottom: 34,
      style: { background: "transparent", color: "var(--text-3)", fontFamily: "inherit", fontSize: "11px" },
      ariaLabel: title,
      ariaDescription: description,
      ...options(width),
    });
    drawing.setAttribute("role", "img");
    // The drawing as a whole has an accessible name, and the table has the values. The roles of the drawing's
    // parts do not allow names, so their names are removed.
    for (const part of drawing.querySelectorAll("g[aria-label], g[aria-description]")) {
      part.setAttribute("data-mark", part.getAttribute("aria-label") ?? "");
      part.removeAttribute("aria-label");
      part.removeAttribute("aria-description");
    }
    box.current?.replaceChildren(drawing);
    return () => drawing.remove();
  }, [width, height, title, description, ...of]);
  const saveSvg = () => {
    const svg = box.current?.querySelector("svg");
    if (svg) void saveDrawing(title, portableSvg(svg));
  };
  return (
    <figure className={styles.chart}>
      <figcaption>
        <b>{title}</b>
        {legend}
        <span className="grow" />
        <IconButton
          icon="image-down"
          size={14}
          label={`Save “${title}” as an image (SVG)…`}
          onClick={saveSvg}
        />
      </figcaption>
      <div className={styles.drawing} ref={box} style={{ minHeight: height }} />
      <TableBehind title={title} table={table} />
    </figure>
  );
}

export function TableBehind({ title, table }: { title: string; table: Table }) {
  return (
    <details className={styles.behind}>
      <summary>As a table</summary>
      <DataTable title={title} table={table} />
      <IconButton
        icon="copy"
        size={13}
        label={`Copy “${title}” as CSV`}
        onClick={() => void navigator.clipboard?.writeText(csvOf(table))}
      />
    </details>
  );
}

export function DataTable({ title, table }: { title: string; table: Table }) {
  return (
    <table className={styles.table}>
      <caption className="sr-only">{title}</caption>
      <thead>
        <tr>
          {table.head.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows keep their order.
          <tr key={i}>
            {row.map((value, j) => (
              <td key={table.head[j]}>{value}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The names of the series with their colours, as an accessible list. */
export function Legend({ names }: { names: readonly string[] }) {
  if (names.length < 2) return null;
  return (
    <ul className={styles.legend}>
      {names.map((name, i) => (
        <li key={name}>
          <i style={{ background: seriesColour(i) }} />
          {name}
        </li>
      ))}
    </ul>
  );
}
