// Costs by day as stacked bars, with a table of the same values.

import * as Plot from "@observablehq/plot";
import { useMemo } from "react";
import type { CostReport } from "../../ipc/generated/bindings";
import { Chart, Legend, seriesColour } from "../evaluate/Chart";
import { amountOf, formatValue, MEASURES, type Measure } from "./question";

/** The minimum width for the label of a day, in pixels. */
const LABEL_WIDTH = 76;

export function CostChart({ report, measure }: { report: CostReport; measure: Measure }) {
  const { bars, parts } = report;
  const rows = useMemo(
    () =>
      bars.flatMap((bar) =>
        bar.parts.map((sum, i) => ({
          day: bar.day,
          value: amountOf(sum, measure),
          colour: seriesColour(i),
          title: `${bar.day}, ${parts[i]}: ${formatValue(amountOf(sum, measure), measure)}`,
        })),
      ),
    [bars, parts, measure],
  );
  const days = bars.map((bar) => bar.day);
  const name = MEASURES.find((one) => one.value === measure)?.label ?? "";
  const highest = bars.reduce(
    (most, bar) => (amountOf(bar.sum, measure) > amountOf(most.sum, measure) ? bar : most),
    bars[0] ?? { day: report.since, sum: report.total.sum, parts: [], cost: "" },
  );
  return (
    <Chart
      title={`${name} by day`}
      description={`From ${report.since} to ${report.until}. The highest day is ${highest.day}: ${formatValue(amountOf(highest.sum, measure), measure)}.`}
      height={220}
      of={[rows]}
      legend={<Legend names={parts} />}
      table={{
        head: ["Day", ...parts, "Total"],
        rows: bars
          .filter((bar) => bar.sum.calls > 0)
          .map((bar) => [
            bar.day,
            ...bar.parts.map((sum) => formatValue(amountOf(sum, measure), measure)),
            measure === "cost" ? bar.cost : formatValue(amountOf(bar.sum, measure), measure),
          ]),
      }}
      options={(width) => {
        const step = Math.max(1, Math.ceil((days.length * LABEL_WIDTH) / width));
        return {
          marginLeft: 58,
          color: { type: "identity" },
          x: {
            type: "band",
            domain: days,
            label: null,
            tickSize: 0,
            padding: 0.25,
            ticks: days.filter((_, i) => i % step === 0),
          },
          y: {
            label: null,
            grid: true,
            nice: true,
            // If all values are 0, the scale gets a fixed upper end. A scale from 0 to 0 would draw bars at
            // full height.
            ...(amountOf(highest.sum, measure) > 0 ? {} : { domain: [0, 1], ticks: [0] }),
            tickFormat: (value: number) => formatValue(value, measure),
          },
          marks: [
            Plot.barY(rows, {
              x: "day",
              y: "value",
              fill: "colour",
              stroke: "var(--bg-canvas)",
              strokeWidth: 0.5,
              title: "title",
            }),
            Plot.ruleY([0], { stroke: "var(--line-3)" }),
          ],
        };
      }}
    />
  );
}
