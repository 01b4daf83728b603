// The batches of a store as a table with progress, cost and start. The up and down keys move, and Enter opens
// a batch.

import { useEffect } from "react";
import { classes } from "../../components/classes";
import emptyStyles from "../../components/Empty.module.css";
import { Icon } from "../../components/Icon";
import { reasonLook } from "../../components/reason";
import { Skeletons } from "../../components/Skeletons";
import { tip } from "../../components/tip";
import type { BatchView } from "../../ipc/generated/bindings";
import { formatAgo, formatUsd, plural } from "../../runs/words/format";
import { testIds } from "../../testids";
import historyStyles from "../RunHistory.module.css";
import { moveByArrows } from "./arrows";
import styles from "./BatchTable.module.css";
import { countWords, progressOf, useBatches } from "./batches";
import { useHistory } from "./store";

export function BatchTable() {
  const where = useHistory((s) => s.where);
  const batches = useBatches((s) => s.batches);
  const failure = useBatches((s) => s.failure);
  const chosen = useBatches((s) => s.chosen);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another store has other batches.
  useEffect(() => void useBatches.getState().reload(), [where]);
  if (batches === null) return failure === null ? <Skeletons label="Reading the batches" lines={4} /> : null;
  if (batches.length === 0) return <NoBatches store={where ?? ""} />;
  return (
    <div className={styles.list}>
      <table className={styles.table} aria-label={`Batches in ${where}`}>
        <thead>
          <tr>
            <th scope="col">Batch</th>
            <th scope="col">Workflow</th>
            <th scope="col">Progress</th>
            <th scope="col">Cost</th>
            <th scope="col">Started</th>
          </tr>
        </thead>
        <tbody onKeyDown={(event) => moveByArrows(event, "th > button")}>
          {batches.map((batch) => (
            <Row key={batch.name} batch={batch} isChosen={batch.name === chosen} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function NoBatches({ store }: { store: string }) {
  return (
    <div className={classes(emptyStyles.empty, emptyStyles.centered, historyStyles.nothing)}>
      <b>No batches yet</b>
      <span>Submit one with:</span>
      <code>loopwright submit FLOW --store {store} --inputs data.jsonl --batch NAME</code>
    </div>
  );
}

function Row({ batch, isChosen }: { batch: BatchView; isChosen: boolean }) {
  const { choose } = useBatches.getState();
  return (
    // For the keyboard, the first cell contains a button.
    <tr
      data-current={isChosen || undefined}
      data-testid={testIds.batchRow(batch.name)}
      onClick={() => choose(batch.name)}
    >
      <th scope="row">
        <button type="button" className={styles.name} aria-pressed={isChosen}>
          <Icon name="list-tree" size={14} />
          <span>{batch.name}</span>
        </button>
        {batch.stopped && (
          <span className={classes(reasonLook("tone-stopped"), styles.stopped)}>stopped</span>
        )}
      </th>
      <td className="clip-text" {...tip(batch.flow)}>
        {batch.flow}
      </td>
      <td>
        <Progress batch={batch} />
      </td>
      <td>{costWords(batch)}</td>
      <td>
        <time dateTime={new Date(batch.createdAt).toISOString()}>
          {formatAgo(batch.createdAt, Date.now())}
        </time>
      </td>
    </tr>
  );
}

/** Formats the cost: "$0.12 of $5". If calls have no known price, says that the cost is not known. */
export function costWords({ costUsd, budgetUsd }: BatchView): string {
  const cost = costUsd === null ? "not known" : formatUsd(costUsd);
  return budgetUsd === null ? cost : `${cost} of ${formatUsd(budgetUsd)}`;
}

/** Shows the progress of a batch as a bar. The text below the bar says the same. */
export function Progress({ batch }: { batch: BatchView }) {
  const over = batch.completed + batch.failed + batch.cancelled;
  const words = countWords(batch);
  return (
    <div className={styles.progress}>
      <div
        className={styles.bar}
        role="progressbar"
        aria-label={`Progress of ${batch.name}`}
        aria-valuemin={0}
        aria-valuemax={batch.runs}
        aria-valuenow={over}
        aria-valuetext={`${over} of ${plural(batch.runs, "run")} have ended: ${words}`}
      >
        {progressOf(batch).map(({ key, percent }) => (
          <i key={key} data-part={key} style={{ width: `${percent}%` }} />
        ))}
      </div>
      <small>{words}</small>
    </div>
  );
}
