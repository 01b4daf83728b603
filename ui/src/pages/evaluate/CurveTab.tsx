// Quality and cost by iteration: the result for each limit, the knee of the curve, and a button that applies
// a limit.

import * as Plot from "@observablehq/plot";
import { useEffect, useState } from "react";
import { Button } from "../../components/Button";
import formStyles from "../../components/Form.module.css";
import { api } from "../../ipc/client";
import type { Agreement, Curve, Report } from "../../ipc/evaluation";
import { formatCount, formatUsd, plural } from "../../runs/words/format";
import { testIds } from "../../testids";
import pageStyles from "../EvaluatePage.module.css";
import { applyCap } from "./actions";
import { Chart, Legend, seriesColour } from "./Chart";
import styles from "./CurveTab.module.css";
import { formatInterval, formatScore, scorerTitle } from "./columns";
import { useExperiment } from "./experiment-store";

interface Series {
  name: string;
  index: number;
  curve: Curve;
}

const PERCENT = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 0 });

export function CurveTab({ report }: { report: Report }) {
  const series = report.variants.flatMap(({ name, curve }, index) => (curve ? [{ name, index, curve }] : []));
  const [first] = series;
  const isScored = useExperiment((s) => Boolean(s.view?.evaluation.perIteration));
  if (first === undefined)
    return isScored ? (
      <p className={pageStyles.note}>The curve appears when finished runs have been scored.</p>
    ) : (
      <p className={pageStyles.note}>
        Choose a loop under “Score each iteration of” in the settings and run again to see how much each
        iteration improves the results.
      </p>
    );
  return (
    <div className={styles.curves}>
      <div className={styles.charts}>
        <QualityChart series={series} scorer={scorerTitle(report, first.curve.scorer)} />
        <CostChart series={series} />
      </div>
      <aside className={styles.knees} aria-label="The smallest cap that is as good as the best">
        {series.map((one) => (
          <KneeCard key={one.name} {...one} />
        ))}
        <AgreementNote scorer={first.curve.scorer} />
      </aside>
    </div>
  );
}

const pointsOf = (series: readonly Series[]) =>
  series.flatMap(({ name, index, curve }) =>
    curve.points.map((point) => ({
      ...point,
      variant: name,
      colour: seriesColour(index),
      low: point.interval?.[0] ?? point.mean,
      high: point.interval?.[1] ?? point.mean,
    })),
  );

const wholeTicks = (series: readonly Series[]): number[] =>
  Array.from({ length: Math.max(1, ...series.map(({ curve }) => curve.points.length)) }, (_, i) => i + 1);

function QualityChart({ series, scorer }: { series: readonly Series[]; scorer: string }) {
  const points = pointsOf(series);
  const scored = points.filter((point) => point.mean !== null);
  const knees = series.flatMap(({ curve }) => {
    const at = curve.points.find(({ k }) => k === curve.knee?.k);
    return at && at.mean !== null ? [at] : [];
  });
  const caption = (row: (typeof points)[number]) => [
    row.variant,
    row.k,
    formatScore(row.mean),
    formatInterval(row.interval),
    row.n,
    formatUsd(row.meanCostUsd),
    PERCENT.format(row.finished),
  ];
  return (
    <Chart
      title={`${scorer} by iteration`}
      description={series
        .map(
          ({ name, curve }) =>
            `${name}: from ${formatScore(curve.points[0]?.mean)} at iteration 1 to ${formatScore(curve.points.at(-1)?.mean)} at iteration ${curve.points.length}${curve.knee ? `, knee at ${curve.knee.k}` : ""}.`,
        )
        .join(" ")}
      height={204}
      of={[series]}
      legend={<Legend names={series.map(({ name }) => name)} />}
      table={{
        head: ["Variant", "Cap", "Mean", "95% interval", "Cases", "Cost per run", "Finished"],
        rows: points.map(caption),
      }}
      options={() => ({
        x: { label: "Cap (iterations)", ticks: wholeTicks(series), tickFormat: "d" },
        y: { label: scorer, grid: true, nice: true, labelArrow: "none" },
        marks: [
          Plot.areaY(scored, {
            x: "k",
            y1: "low",
            y2: "high",
            z: "variant",
            fill: "colour",
            fillOpacity: 0.14,
          }),
          Plot.ruleX(knees, { x: "k", stroke: "var(--loop)", strokeDasharray: "3 3" }),
          Plot.lineY(scored, { x: "k", y: "mean", z: "variant", stroke: "colour", strokeWidth: 2 }),
          Plot.dot(scored, { x: "k", y: "mean", r: 3, fill: "colour", title: (d) => caption(d).join(", ") }),
          Plot.dot(knees, { x: "k", y: "mean", r: 6.5, stroke: "var(--loop)", strokeWidth: 2 }),
        ],
      })}
    />
  );
}

/**
 * The two measures of cost. Free calls, such as those of a local model, use tokens but cost nothing. Tokens
 * are then shown instead of dollars.
 */
const inDollars = { of: "meanCostUsd", label: "Dollars", format: formatUsd } as const;
const inTokens = {
  of: "meanTokens",
  label: "Tokens",
  format: (tokens: number) => formatCount(Math.round(tokens)),
} as const;

function CostChart({ series }: { series: readonly Series[] }) {
  const points = pointsOf(series);
  const { of, label, format } = points.some(({ meanCostUsd }) => meanCostUsd > 0) ? inDollars : inTokens;
  return (
    <Chart
      title={of === "meanCostUsd" ? "Cost per run by iteration" : "Tokens per run by iteration"}
      description={series
        .map(
          ({ name, curve }) =>
            `${name}: from ${format(curve.points[0]?.[of] ?? 0)} to ${format(curve.points.at(-1)?.[of] ?? 0)}.`,
        )
        .join(" ")}
      height={204}
      of={[series]}
      table={{
        head: ["Variant", "Cap", "Cost per run", "Tokens"],
        rows: points.map((row) => [
          row.variant,
          row.k,
          formatUsd(row.meanCostUsd),
          Math.round(row.meanTokens),
        ]),
      }}
      options={() => ({
        marginLeft: 56,
        x: { label: "Cap (iterations)", ticks: wholeTicks(series), tickFormat: "d" },
        y: { label, grid: true, zero: true, tickFormat: format, ticks: 5 },
        marks: [
          Plot.lineY(points, { x: "k", y: of, z: "variant", stroke: "colour", strokeWidth: 2 }),
          Plot.dot(points, {
            x: "k",
            y: of,
            r: 3,
            fill: "colour",
            title: (d: (typeof points)[number]) => `${d.variant}, cap ${d.k}: ${format(d[of])}`,
          }),
        ],
      })}
    />
  );
}

function KneeCard({ name, curve }: Series) {
  const { knee } = curve;
  return (
    <section className={styles.knee}>
      <header>
        <h3 className="clip-text">{name}</h3>
        {knee && (
          <Button
            small
            variant="loop"
            icon="repeat"
            data-testid={testIds.evalApplyCap}
            onClick={() => void applyCap(curve.of, knee.k)}
          >
            Apply cap {knee.k}
          </Button>
        )}
      </header>
      {!knee ? (
        <p>Too few cases have a score to find a knee.</p>
      ) : knee.k === knee.best ? (
        <p>
          <b>{plural(knee.k, "iteration")}</b> {knee.k === 1 ? "is" : "are"} best.
          {knee.k > 1 && ` No smaller cap is within the margin of ${formatScore(knee.margin)}.`}
          {knee.k === curve.points.length && " Larger caps were not tried."}
        </p>
      ) : (
        <p>
          <b>{plural(knee.k, "iteration")}</b> {knee.k === 1 ? "is" : "are"} as good as {knee.best}:{" "}
          {knee.best} is {formatScore(knee.difference)} better ({formatInterval(knee.interval)}), within the
          margin of {formatScore(knee.margin)}
          {knee.savedUsd > 0 && `, and costs ${formatUsd(knee.savedUsd)} more`}.
        </p>
      )}
    </section>
  );
}

/** Shows how well people agree with the judge whose scores make up the curve. */
function AgreementNote({ scorer }: { scorer: string }) {
  const shown = useExperiment((s) => s.shown);
  const [agreement, setAgreement] = useState<Agreement | null>(null);
  useEffect(() => {
    let isWanted = true;
    setAgreement(null);
    if (shown !== null)
      api()
        .ratings(shown)
        // If ratings cannot be read, the Rate tab shows the reason.
        .catch(() => [])
        .then((all) => isWanted && setAgreement(all.find(({ judge }) => judge === scorer) ?? null));
    return () => {
      isWanted = false;
    };
  }, [shown, scorer]);
  if (agreement === null || agreement.n === 0) return null;
  return (
    <p className={formStyles.hint}>
      Agreement of {scorer} with people, {plural(agreement.n, "rating")}: Cohen’s κ{" "}
      {formatScore(agreement.kappa)}, Krippendorff’s α {formatScore(agreement.alpha)}.
    </p>
  );
}
