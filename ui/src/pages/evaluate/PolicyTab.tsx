// Evaluates exit policies on recorded runs: the score and cost of each, without model calls.

import * as Plot from "@observablehq/plot";
import { useState } from "react";
import { Button } from "../../components/Button";
import chipStyles from "../../components/Chip.module.css";
import { classes } from "../../components/classes";
import { TextField } from "../../components/fields";
import { Icon } from "../../components/Icon";
import { Message } from "../../components/Message";
import { tip } from "../../components/tip";
import { api, errorMessage } from "../../ipc/client";
import type { PolicyReport } from "../../ipc/evaluation";
import type { ExitReason } from "../../ipc/generated/bindings";
import { exitTitle, formatCount, formatUsd } from "../../runs/words/format";
import pageStyles from "../EvaluatePage.module.css";
import { Chart } from "./Chart";
import chartStyles from "./Chart.module.css";
import { formatInterval, formatScore, scorerTitle } from "./columns";
import { useExperiment } from "./experiment-store";
import styles from "./PolicyTab.module.css";
import { gridOf } from "./policies";

export function PolicyTab() {
  const policies = useExperiment((s) => s.policies);
  const reports = useExperiment((s) => s.reports);
  const report = useExperiment((s) => s.view?.report ?? null);
  const [draft, setDraft] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { set } = useExperiment.getState();

  const backtest = async (wanted: readonly string[]) => {
    const id = useExperiment.getState().shown;
    set({ policies: wanted });
    if (id === null || wanted.length === 0) return set({ reports: null });
    setBusy(true);
    try {
      const found = await api().backtest(id, [...wanted]);
      if (useExperiment.getState().policies !== wanted) return;
      set({ reports: found });
      setFailure(null);
    } catch (error) {
      setFailure(errorMessage(error));
    } finally {
      setBusy(false);
    }
  };
  const add = () => {
    const policy = draft.replace(/\s+/g, "");
    if (policy === "") return;
    setDraft("");
    if (!policies.includes(policy)) void backtest([...policies, policy]);
  };
  const primary = report?.scorers[report.primary];
  const score = report && primary !== undefined ? `Mean ${scorerTitle(report, primary)}` : "Mean score";
  const cap = Math.max(3, ...(report?.variants ?? []).map(({ curve }) => curve?.points.length ?? 0));
  return (
    <div>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <TextField
          label="Exit policy"
          mono
          wide
          placeholder="cap=3 or stable=0.95,patience=2"
          testId="eval-policy"
          value={draft}
          onChange={setDraft}
        />
        <Button small icon="plus" type="submit" disabled={draft.trim() === ""}>
          Add
        </Button>
        <Button small icon="layout-grid" onClick={() => void backtest(gridOf(cap))}>
          Try a grid
        </Button>
        {policies.length > 0 && (
          <Button small variant="ghost" onClick={() => void backtest([])}>
            Clear
          </Button>
        )}
        <ul className={styles.policies} aria-label="Policies">
          {policies.map((policy) => (
            <li className={chipStyles.chip} key={policy}>
              <code>{policy}</code>
              <button
                type="button"
                aria-label={`Remove ${policy}`}
                onClick={() => void backtest(policies.filter((one) => one !== policy))}
              >
                <Icon name="x" size={11} />
              </button>
            </li>
          ))}
        </ul>
      </form>
      {failure !== null && (
        <p className="text-error" role="alert">
          <Message text={failure} />
        </p>
      )}
      {policies.length === 0 ? (
        <p className={pageStyles.note}>
          Add a policy, or try a grid of them, to see when each would have ended the recorded runs. This costs
          nothing.
        </p>
      ) : (
        reports !== null && (
          <div className={styles.charts} aria-busy={isBusy}>
            <Pareto reports={reports} score={score} />
            <PolicyTable reports={reports} />
          </div>
        )
      )}
    </div>
  );
}

const scoredOf = (reports: readonly PolicyReport[]) =>
  reports.flatMap((one) =>
    one.meanScore === null || one.meanCostUsd === null
      ? []
      : [{ ...one, meanScore: one.meanScore, meanCostUsd: one.meanCostUsd }],
  );

type Scored = ReturnType<typeof scoredOf>[number];

/**
 * Merges policies at the same point of the chart into one labelled point. The label is the first policy, and
 * "+2" if there are two more.
 */
function labelled(points: readonly Scored[], cost: (point: Scored) => number) {
  const byPlace = new Map<string, { cost: number; meanScore: number; label: string; more: number }>();
  for (const point of points) {
    const place = `${cost(point).toPrecision(2)}/${point.meanScore.toFixed(1)}`;
    const there = byPlace.get(place);
    if (there) there.more += 1;
    else byPlace.set(place, { cost: cost(point), meanScore: point.meanScore, label: point.policy, more: 0 });
  }
  return [...byPlace.values()].map((one) => ({
    ...one,
    label: one.more > 0 ? `${one.label} +${one.more}` : one.label,
  }));
}

function Pareto({ reports, score }: { reports: readonly PolicyReport[]; score: string }) {
  const points = scoredOf(reports);
  // If no run cost money, the number of iterations is used as the cost.
  const isPriced = points.some(({ meanCostUsd }) => meanCostUsd > 0);
  const cost = (point: Scored) => (isPriced ? point.meanCostUsd : (point.meanIterations ?? 0));
  const front = points.filter(({ onFront }) => onFront).sort((a, b) => cost(a) - cost(b));
  return (
    <Chart
      title={isPriced ? "Score and cost of policies" : "Score and iterations of policies"}
      description={`Policies that no other policy beats in both score and cost: ${front.map(({ policy }) => policy).join(", ") || "none"}.`}
      height={230}
      of={[reports]}
      table={{
        head: ["Policy", "Mean score", "Cost per run", "Pareto front"],
        rows: points.map((one) => [
          one.policy,
          formatScore(one.meanScore),
          formatUsd(one.meanCostUsd),
          one.onFront ? "yes" : "no",
        ]),
      }}
      options={() => ({
        marginRight: 30,
        x: {
          label: isPriced ? "Cost per run" : "Iterations per run",
          grid: true,
          tickFormat: isPriced ? formatUsd : undefined,
          ticks: 4,
          nice: true,
        },
        y: { label: score, labelArrow: "none", grid: true, nice: true },
        marks: [
          Plot.lineY(front, {
            x: cost,
            y: "meanScore",
            stroke: "var(--accent)",
            curve: "step-after",
          }),
          Plot.dot(points, {
            x: cost,
            y: "meanScore",
            r: (one: PolicyReport) => (one.onFront ? 5 : 3.5),
            fill: (one: PolicyReport) => (one.onFront ? "var(--accent)" : "var(--bg-canvas)"),
            stroke: (one: PolicyReport) => (one.onFront ? "var(--accent)" : "var(--text-3)"),
            title: (one: (typeof points)[number]) =>
              `${one.policy}: ${formatScore(one.meanScore)} for ${formatUsd(one.meanCostUsd)}`,
          }),
          Plot.text(labelled(front, cost), {
            x: "cost",
            y: "meanScore",
            text: "label",
            dy: -11,
            textAnchor: "middle",
            fill: "var(--text-2)",
            fontFamily: "var(--font-mono)",
            fontSize: 10,
          }),
        ],
      })}
    />
  );
}

const exitsOf = ({ exits }: PolicyReport): string =>
  Object.entries(exits)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${exitTitle(reason as ExitReason)} ${formatCount(count)}`)
    .join(", ");

function PolicyTable({ reports }: { reports: readonly PolicyReport[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
    <section className={styles.results} tabIndex={0} aria-label="Results by policy">
      <table className={chartStyles.table}>
        <thead>
          <tr>
            <th scope="col">Policy</th>
            <th scope="col">Mean score</th>
            <th scope="col">95% interval</th>
            <th scope="col">Cost</th>
            <th scope="col">Iterations</th>
            <th scope="col" {...tip("Censored runs stopped before the policy would have ended them")}>
              Known, censored
            </th>
            <th scope="col">Exit reasons</th>
          </tr>
        </thead>
        <tbody>
          {reports.map((one) => (
            <tr key={one.policy}>
              <th scope="row">
                <code>{one.policy}</code>
                {one.onFront && <small> front</small>}
              </th>
              {one.error !== null ? (
                <td colSpan={6} className={classes(styles.refused, "text-error")}>
                  <Message text={one.error} />
                </td>
              ) : (
                <>
                  <td>{formatScore(one.meanScore)}</td>
                  <td>{formatInterval(one.interval)}</td>
                  <td>{one.meanCostUsd === null ? "–" : formatUsd(one.meanCostUsd)}</td>
                  <td>{formatScore(one.meanIterations)}</td>
                  <td>
                    {formatCount(one.known)}, {formatCount(one.censored)}
                  </td>
                  <td>{exitsOf(one)}</td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
