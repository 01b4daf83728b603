// The full content of the active cell: the text, the scores with their reasons, and a link to the run.

import { Button, IconButton } from "../../components/Button";
import { Message } from "../../components/Message";
import { Select } from "../../components/Select";
import type { CellResult, ExperimentRow } from "../../ipc/evaluation";
import { formatDuration, formatUsd } from "../../runs/words/format";
import { openCell } from "./actions";
import styles from "./CellDetail.module.css";
import { type Column, costOf, exitText, scoreText, textOf } from "./columns";
import { useExperiment } from "./experiment-store";
import { keepTest } from "./keep-test";

interface CellDetailProps {
  row: ExperimentRow;
  /** The column of the active cell; null if the case itself is active. */
  column: Column | null;
  result: CellResult | null;
  onClose(): void;
}

export function CellDetail({ row, column, result, onClose }: CellDetailProps) {
  const view = useExperiment((s) => s.view);
  const scorers = view?.report.scorers ?? [];
  const whole =
    column === null
      ? JSON.stringify(row.case.row, null, 2)
      : result !== null
        ? textOf(result.output)
        : column.id === "expected"
          ? textOf(row.case.expected)
          : textOf(row.case.inputs[column.title]);
  return (
    <aside className={styles.detail} aria-label="Active cell">
      <header>
        <b className="clip-text">{row.case.id}</b>
        <span className="text-tertiary clip-text">
          {column === null
            ? `line ${row.case.line}`
            : [column.group, column.group === null ? column.title : null].filter(Boolean).join(", ")}
        </span>
        <span className="grow" />
        {result !== null && <OpenRun result={result} />}
        <IconButton icon="x" size={14} label="Close the cell" onClick={onClose} />
      </header>
      {result !== null && (
        <dl className={styles.facts}>
          {(result.scores ?? []).map((score, i) => (
            <div key={scorers[i] ?? i}>
              <dt>{scorers[i] ?? `Score ${i + 1}`}</dt>
              <dd>
                {scoreText(score).text}
                {score.reason && <small>{score.reason}</small>}
              </dd>
            </div>
          ))}
          {result.iterationCount !== null && result.iterationCount !== undefined && (
            <div>
              <dt>Iterations</dt>
              <dd>
                {result.iterationCount}
                {exitText(result).text !== "" && <small>{exitText(result).text}</small>}
              </dd>
            </div>
          )}
          <div>
            <dt>Cost, time</dt>
            <dd>
              {formatUsd(costOf(result))}, {formatDuration(result.durationMs ?? null)}
            </dd>
          </div>
        </dl>
      )}
      {result?.error && (
        <p className="text-error">
          <Message text={result.error} />
        </p>
      )}
      {whole !== "" && <pre className={styles.whole}>{whole}</pre>}
    </aside>
  );
}

function OpenRun({ result }: { result: CellResult }) {
  const loop = useExperiment((s) => s.view?.evaluation.perIteration ?? null);
  const iteration = useExperiment((s) => s.iteration);
  const flow = useExperiment((s) => s.view?.summary.flow ?? "");
  const count = result.iterationCount ?? 0;
  const numbers = Array.from({ length: count }, (_, i) => String(i + 1));
  return (
    <>
      {loop !== null && count > 0 && (
        <Select
          label="Open at iteration"
          value={iteration === null ? "" : String(Math.min(iteration, count))}
          lead={[{ value: "", label: "at its end" }]}
          options={numbers.map((n) => ({ value: n, label: `at iteration ${n}` }))}
          onChange={(n) => useExperiment.getState().set({ iteration: n === "" ? null : Number(n) })}
        />
      )}
      <Button small icon="workflow" disabled={result.runId === ""} onClick={() => void openCell(result)}>
        Open run
      </Button>
      <Button
        small
        icon="shield-check"
        disabled={result.status !== "completed"}
        onClick={() => void keepTest({ runId: result.runId, flow })}
      >
        Keep as test…
      </Button>
    </>
  );
}
