// One batch: its progress, its cost, its actions, and its newest runs.

import { Button, IconButton } from "../../components/Button";
import buttonStyles from "../../components/Button.module.css";
import chipStyles from "../../components/Chip.module.css";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import noteStyles from "../../components/Note.module.css";
import { tip } from "../../components/tip";
import { RunChip } from "../../inspector/run/StatusChip";
import type { BatchView } from "../../ipc/generated/bindings";
import { formatAgo, formatClock, formatCost, formatCount, plural } from "../../runs/words/format";
import { openRun } from "./actions";
import styles from "./BatchPanel.module.css";
import { costWords, Progress } from "./BatchTable";
import {
  chosenBatch,
  deleteBatch,
  openRuns,
  RUNS_SHOWN,
  retryBatch,
  saveOutputs,
  stopBatch,
  useBatches,
} from "./batches";
import { NO_FILTER } from "./filter";
import detailStyles from "./RunDetailView.module.css";
import { useHistory } from "./store";

export function BatchPanel() {
  const batch = useBatches(chosenBatch);
  const some = useBatches((s) => (s.batches?.length ?? 0) > 0);
  if (batch === null) return some ? <p className={noteStyles.note}>Choose a batch to see its runs.</p> : null;
  return <Panel batch={batch} />;
}

function Panel({ batch }: { batch: BatchView }) {
  const open = openRuns(batch);
  const again = batch.failed + batch.cancelled;
  return (
    <section aria-labelledby="batch-title" data-testid="batch-panel" className={styles.panel}>
      <header className={detailStyles.head}>
        <h1 id="batch-title" {...tip(batch.name)}>
          {batch.name}
        </h1>
        {batch.stopped && <span className={classes(chipStyles.chip, chipStyles.queued)}>stopped</span>}
        <span className={classes("text-tertiary", detailStyles.about)}>
          {formatAgo(batch.createdAt, Date.now())}
        </span>
        <span className="grow" />
        <IconButton
          icon="x"
          size={15}
          label="Close the batch"
          onClick={() => useBatches.getState().choose(null)}
        />
      </header>
      <div className={detailStyles.figures}>
        <Figure value={formatCount(batch.runs)} name={batch.runs === 1 ? "run" : "runs"} />
        <Figure value={costWords(batch)} name={batch.budgetUsd === null ? "cost" : "budget"} />
      </div>
      <div className={styles.part} role="status">
        <Progress batch={batch} />
      </div>
      <div className={classes("row", styles.part, styles.actions)}>
        <Button
          icon="square"
          disabled={open === 0 || batch.stopped}
          data-testid="batch-stop"
          onClick={() => void stopBatch(batch)}
        >
          {batch.stopped && open > 0 ? "Asked to stop…" : "Stop"}
        </Button>
        <Button
          icon="rotate-ccw"
          disabled={again === 0}
          data-testid="batch-retry"
          {...tip("Repeats failed and stopped runs, as new runs with the same inputs")}
          onClick={() => void retryBatch(batch)}
        >
          Rerun failed
        </Button>
        <Button
          icon="download"
          disabled={batch.runs === 0}
          data-testid="batch-outputs"
          onClick={() => void saveOutputs(batch)}
        >
          Save outputs…
        </Button>
        <Button icon="trash-2" data-testid="batch-delete" onClick={() => void deleteBatch(batch)}>
          Delete…
        </Button>
      </div>
      <Runs batch={batch} />
    </section>
  );
}

function Figure({ value, name }: { value: string; name: string }) {
  return (
    <div>
      <b>{value}</b>
      {name}
    </div>
  );
}

function Runs({ batch }: { batch: BatchView }) {
  const runs = useBatches((s) => s.runs);
  return (
    <>
      <h2 className={styles.part}>{batch.runs > RUNS_SHOWN ? "Newest runs" : "Runs"}</h2>
      {runs.length === 0 && <p className={classes(styles.part, "text-tertiary")}>None yet.</p>}
      <ul className={styles.runs}>
        {runs.map((run) => (
          <li key={run.runId}>
            <button
              type="button"
              onClick={() => void openRun(run.runId)}
              data-testid={`batch-run-${run.runId}`}
            >
              <RunChip status={run.status} />
              <span>{formatClock(Date.parse(run.startedAt))}</span>
              {run.iterations !== null && <span>{plural(run.iterations, "iteration")}</span>}
              <span className="grow" />
              {run.usage.calls > 0 && <span>{formatCost(run.usage)}</span>}
              <Icon name="chevron-right" size={12} />
            </button>
          </li>
        ))}
      </ul>
      {batch.runs > RUNS_SHOWN && (
        <button
          type="button"
          className={classes(buttonStyles.linkButton, styles.part)}
          onClick={() => {
            useHistory.getState().setFilter({ ...NO_FILTER, batch: batch.name });
            useHistory.getState().setTab("runs");
          }}
        >
          Show all {formatCount(batch.runs)} runs
        </button>
      )}
    </>
  );
}
