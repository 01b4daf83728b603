// Compares the variants with the baseline, paired by case: a forest plot, wins and losses, and the cases that
// got worse.

import * as Plot from "@observablehq/plot";
import { useMemo } from "react";
import buttonStyles from "../../components/Button.module.css";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import type { Comparison, Report } from "../../ipc/evaluation";
import { formatCount, formatDuration, formatUsd, plural } from "../../runs/words/format";
import pageStyles from "../EvaluatePage.module.css";
import { Chart, DataTable } from "./Chart";
import styles from "./CompareTab.module.css";
import { formatDifference, formatInterval, formatScore, isLowerBetter, scorerTitle } from "./columns";
import { findCase } from "./find-case";

const WORSE_SHOWN = 8;

interface Verdict {
  text: string;
  colour: string;
}

/**
 * Returns the verdict of a comparison and its colour. If lower scores are better, a negative difference is an
 * improvement.
 */
function verdict({ interval, scorer }: Comparison, report: Report): Verdict {
  if (interval === null) return { text: "not known", colour: "var(--text-3)" };
  const { margin } = report;
  const isBelow = interval[1] < 0;
  if (isBelow || interval[0] > 0) {
    const isBetter = isBelow === isLowerBetter(report, scorer);
    return isBetter
      ? { text: "better", colour: "var(--st-done)" }
      : { text: "worse", colour: "var(--st-failed)" };
  }
  const isSmall = interval[0] >= -margin && interval[1] <= margin;
  return { text: isSmall ? "no relevant difference" : "undecided", colour: "var(--text-2)" };
}

export function CompareTab({ report }: { report: Report }) {
  const { comparisons } = report;
  return (
    <div className={styles.compare}>
      {comparisons.length > 0 ? (
        <Forest report={report} />
      ) : (
        <p className={pageStyles.note}>
          Add a second variant in the settings and run again to compare the two case by case.
        </p>
      )}
      <Means report={report} />
      {comparisons.map((one) => (
        <Losses key={`${one.variant}/${one.scorer}`} comparison={one} report={report} />
      ))}
      {(report.assertions.length > 0 || report.notes.length > 0 || report.stoppedEarly) && (
        <ul className={styles.remarks}>
          {report.stoppedEarly && (
            <li>
              <Icon name="info" size={13} />
              {report.stoppedEarly}
            </li>
          )}
          {report.assertions.map(({ holds, message }) => (
            <li key={message} className={holds ? "text-ok" : "text-error"}>
              <Icon name={holds ? "circle-check" : "circle-x"} size={13} />
              {holds ? "Holds: " : "Does not hold: "}
              {message}
            </li>
          ))}
          {report.notes.map((note) => (
            <li key={note}>
              <Icon name="info" size={13} />
              {note}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Forest({ report }: { report: Report }) {
  const { comparisons, margin } = report;
  const rows = useMemo(
    () =>
      comparisons.flatMap((one) =>
        one.difference === null
          ? []
          : [
              {
                ...one,
                label: `${one.variant}, ${one.scorer}`,
                low: one.interval?.[0] ?? one.difference,
                high: one.interval?.[1] ?? one.difference,
                difference: one.difference,
                ...verdict(one, report),
              },
            ],
      ),
    [comparisons, report],
  );
  const baseline = comparisons[0]?.baseline ?? "the baseline";
  return (
    <Chart
      title={`Difference from ${baseline}`}
      description={rows
        .map((row) => `${row.label}: ${formatDifference(row.difference)}, ${row.text}.`)
        .join(" ")}
      height={56 + rows.length * 26}
      of={[rows, margin]}
      table={{
        head: [
          "Variant",
          "Scorer",
          "Difference",
          "95% interval",
          "Verdict",
          "Pairs",
          "Wins",
          "Ties",
          "Losses",
          "Cost difference",
        ],
        rows: comparisons.map((one) => [
          one.variant,
          one.scorer,
          formatDifference(one.difference),
          formatInterval(one.interval, formatDifference),
          verdict(one, report).text,
          formatCount(one.pairs),
          formatCount(one.wins),
          formatCount(one.ties),
          formatCount(one.losses),
          one.costDifferenceUsd === null ? "–" : signedUsd(one.costDifferenceUsd),
        ]),
      }}
      options={(width) => ({
        marginLeft: Math.min(190, width * 0.32),
        marginRight: Math.min(176, width * 0.3),
        marginTop: 10,
        x: {
          label: "Mean difference, paired by case",
          grid: true,
          nice: true,
          ticks: Math.max(3, width / 110),
        },
        y: { label: null, domain: rows.map(({ label }) => label), tickSize: 0 },
        marks: [
          ...(margin > 0
            ? [Plot.rectX([0], { x1: -margin, x2: margin, fill: "var(--text-3)", fillOpacity: 0.12 })]
            : []),
          Plot.ruleX([0], { stroke: "var(--text-3)" }),
          Plot.ruleY(rows, { y: "label", x1: "low", x2: "high", stroke: "colour", strokeWidth: 2 }),
          Plot.dot(rows, { y: "label", x: "difference", r: 4.5, fill: "colour" }),
          Plot.text(rows, {
            y: "label",
            frameAnchor: "right",
            textAnchor: "start",
            dx: 8,
            text: (row: (typeof rows)[number]) => `${formatDifference(row.difference)}, ${row.text}`,
            fill: "colour",
          }),
        ],
      })}
    />
  );
}

const signedUsd = (usd: number): string => `${usd < 0 ? "−" : "+"}${formatUsd(Math.abs(usd))}`;

function Means({ report }: { report: Report }) {
  const rows = report.variants.map((variant) => [
    variant.name,
    ...variant.scorers.map(({ mean, interval, unscored }) =>
      mean === null
        ? "unscored"
        : `${formatScore(mean)} (${formatInterval(interval)})${unscored > 0 ? `, ${formatCount(unscored)} unscored` : ""}`,
    ),
    formatScore(variant.meanIterations),
    variant.meanCostUsd === null ? "–" : formatUsd(variant.meanCostUsd),
    `${formatDuration(variant.latencyP50)}, ${formatDuration(variant.latencyP95)}`,
    `${formatCount(variant.completed)}, ${formatCount(variant.failed)}`,
  ]);
  return (
    <DataTable
      title="Variants"
      table={{
        head: [
          "Variant",
          ...report.scorers.map((scorer) => scorerTitle(report, scorer)),
          "Iterations",
          "Cost per run",
          "Time, median and 95th percentile",
          "Completed, failed",
        ],
        rows,
      }}
    />
  );
}

function Losses({ comparison: one, report }: { comparison: Comparison; report: Report }) {
  if (one.worse.length === 0) return null;
  const rest = one.losses - Math.min(WORSE_SHOWN, one.worse.length);
  return (
    <p className={styles.losses}>
      <b>
        {one.variant}, {one.scorer}
      </b>{" "}
      ({verdict(one, report).text}): {plural(one.wins, "case")} better, {formatCount(one.ties)} equal,{" "}
      {formatCount(one.losses)} worse:{" "}
      {one.worse.slice(0, WORSE_SHOWN).map((id) => (
        <button
          type="button"
          className={classes(buttonStyles.linkButton, styles.case)}
          key={id}
          onClick={() => void findCase(id)}
        >
          {id}
        </button>
      ))}
      {rest > 0 && `and ${formatCount(rest)} more`}
    </p>
  );
}
