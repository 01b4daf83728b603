// The Run button, with the maximum cost before a run, and the cost so far during it.

import { commandById } from "../commands";
import { Button, IconButton } from "../components/Button";
import buttonStyles from "../components/Button.module.css";
import chipStyles from "../components/Chip.module.css";
import { classes } from "../components/classes";
import { Icon } from "../components/Icon";
import marksStyles from "../components/Marks.module.css";
import { tip } from "../components/tip";
import { useDocument } from "../document/document";
import { useProblemCount } from "../document/quiet";
import { RunWith } from "../inspector/RunWith";
import { burnOf } from "../inspector/run/BudgetMeter";
import { PlaceChip, RequestChip } from "../inspector/run/StatusChip";
import { keepTest } from "../pages/evaluate/keep-test";
import { type ActiveRun, useActiveRun } from "../runs";
import { missingModelActions, useMissingModels } from "../runs/inputs/missing-models";
import { requestWords, useRequest } from "../runs/session/requests";
import { isUnfinished, shownRun, useRuns } from "../runs/session/store";
import { callWords, formatCost, formatDuration, formatUsd } from "../runs/words/format";
import { useNow } from "../session/clock";
import { useSession } from "../session/session";
import { testIds } from "../testids";
import { CostBound } from "./CostBound";
import costBoundStyles from "./CostBound.module.css";
import { Key } from "./Key";
import { Menu } from "./Menu";
import styles from "./RunBox.module.css";

function useElapsed(run: ActiveRun, running: boolean): number | null {
  const now = useNow("top bar", running);
  if (!running) return run.ranMs;
  return run.since === null ? null : Math.max(0, now - run.since);
}

const WORDS = { running: "Running", waiting: "Waiting", paused: "Paused", queued: "Queued" } as const;

/** Returns the displayed state of an unfinished run, which selects its text and colour. */
function statusOf({ status }: ActiveRun): keyof typeof WORDS {
  return status === "waiting" || status === "paused" || status === "queued" ? status : "running";
}

const LOOKS = { running: "running", waiting: "waiting", paused: "waiting", queued: "queued" } as const;

/** A button that shows how many nodes wait for a person. A click shows the next of them. */
export function WaitingButton() {
  const count = useRuns((s) => shownRun(s)?.state.waiting.length ?? 0);
  if (count === 0) return null;
  return (
    <button
      type="button"
      className={classes(chipStyles.chip, chipStyles.big, chipStyles.waiting)}
      {...tip(count === 1 ? "Answer the node that waits for you" : "Answer the next node that waits for you")}
      data-testid={testIds.waitingButton}
      onClick={() => void commandById("run.review").run()}
    >
      <Icon name="circle-pause" size={12} />
      Waiting ({count})
    </button>
  );
}

/** Shows the state of an unfinished run. In edit mode, a click returns to the run. */
export function RunChip() {
  const run = useActiveRun();
  const stopping = useRuns((s) => s.stopping);
  const isAside = useSession((s) => s.layout === "edit");
  // The button for waiting nodes next to this chip already shows this state.
  if (run.status === "waiting" && !stopping) return null;
  const status = statusOf(run);
  const look = classes(chipStyles.chip, chipStyles.big, chipStyles[LOOKS[status]]);
  const words = (
    <>
      {status === "queued" ? (
        <Icon name="clock" size={12} />
      ) : status === "paused" && !run.pausing ? (
        <Icon name="pause" size={12} />
      ) : (
        <i className={classes(marksStyles.dot, marksStyles.pulse)} />
      )}
      {stopping ? "Stopping" : run.pausing ? "Pausing" : WORDS[status]}
    </>
  );
  if (!isAside)
    return (
      <span className={look} data-testid="run-state">
        {words}
      </span>
    );
  return (
    <button
      type="button"
      className={look}
      {...tip("Show the run. It uses the workflow as it was when the run started.")}
      data-testid="run-state"
      onClick={() => void commandById("run.show").run()}
    >
      {words}
      <Icon name="chevron-right" size={12} />
    </button>
  );
}

/** Shows a running or suspended run: its clock, its cost, and buttons to pause and stop it. */
function Going({ run, elapsed }: { run: ActiveRun; elapsed: number | null }) {
  const stopping = useRuns((s) => s.stopping);
  const pausing = useRuns((s) => s.pausing);
  const budget = useRuns((s) => shownRun(s)?.state.budget ?? null);
  const burn = burnOf({ budget });
  const request = useRequest(run.runId);
  const status = statusOf(run);
  const paused = status === "paused";
  const id = paused ? "run.continue" : "run.pause";
  const isAsked = request?.kind === "pause" || request?.kind === "resume";
  return (
    <div className={styles.runBox} data-testid={testIds.runBox}>
      <span className={styles.runClock}>
        {status === "queued" ? "No worker has started the run yet" : <b>{formatDuration(elapsed ?? 0)}</b>}
        {run.usage && run.usage.calls > 0 && (
          <>
            {" · "}
            <b>{burn?.unit === "usd" ? formatUsd(burn.spent) : callWords(run.usage)}</b>
            {burn?.unit === "usd"
              ? ` of ${formatUsd(burn.limit)}`
              : run.usage.cost_usd !== null && ` · ${formatCost(run.usage)}`}
          </>
        )}
      </span>
      {isAsked && <RequestChip runId={run.runId} big />}
      {status !== "waiting" && status !== "queued" && (
        <IconButton
          icon={paused ? "play" : "pause"}
          size={14}
          label={paused ? "Continue" : "Pause after the current step"}
          disabled={pausing || stopping || isAsked || request?.kind === "stop"}
          data-testid={paused ? "continue-button" : "pause-button"}
          onClick={() => void commandById(id).run()}
        />
      )}
      <button
        type="button"
        className={classes(buttonStyles.btn, styles.action, styles.stop)}
        disabled={stopping || request?.kind === "stop"}
        data-testid={testIds.stopButton}
        onClick={() => void commandById("run.stop").run()}
      >
        <Icon name="square" size={11} />
        {request?.kind === "stop" ? (
          requestWords(request)
        ) : (
          <>
            Stop <Key command="run.stop" />
          </>
        )}
      </button>
    </div>
  );
}

/** A button that saves the shown past run as a test. It is shown only if the run completed. */
function KeepTestButton() {
  const runId = useRuns((s) => (s.past?.state.status === "completed" ? s.past.state.runId : null));
  const flow = useDocument((s) => s.document.name ?? "run");
  if (runId === null) return null;
  return (
    <Button
      icon="shield-check"
      data-testid={testIds.keepTest}
      {...tip("Save a test that this run passes")}
      onClick={() => void keepTest({ runId, flow })}
    >
      Keep as test…
    </Button>
  );
}

export function RunBox() {
  const run = useActiveRun();
  const starting = useRuns((s) => s.starting);
  const past = useRuns((s) => s.past !== null);
  const going = useRuns((s) => isUnfinished(shownRun(s)));
  const ran = useRuns((s) => s.live !== null);
  const layout = useSession((s) => s.layout);
  const running = going || starting;
  const elapsed = useElapsed(run, running && run.ranMs === null);
  const { errors, words, isLoud } = useProblemCount();
  const missing = useMissingModels();
  if (past && !running) {
    return (
      <>
        {run.runId !== null && <PlaceChip runId={run.runId} big />}
        <RequestChip runId={run.runId} big />
        <span className={classes(chipStyles.chip, chipStyles.big, chipStyles.queued)}>
          <Icon name="history" size={12} />
          Past run, read only
        </span>
        <KeepTestButton />
        <Button
          icon="workflow"
          data-testid="back-to-editing"
          onClick={() => useSession.getState().setLayout("edit")}
        >
          Back to editing
        </Button>
      </>
    );
  }
  if (running)
    return (
      <>
        {past && (
          <IconButton
            icon="x"
            size={14}
            label="Back to editing"
            data-testid="back-to-editing"
            onClick={() => useSession.getState().setLayout("edit")}
          />
        )}
        {run.runId !== null && <PlaceChip runId={run.runId} big />}
        <Going run={run} elapsed={elapsed} />
      </>
    );
  const blocked = errors > 0;
  return (
    <>
      {layout === "edit" && ran && (
        <IconButton
          icon="history"
          size={14}
          label="Show the last run again"
          data-testid="show-last-run"
          onClick={() => void commandById("run.show").run()}
        />
      )}
      {layout === "run" && (
        <IconButton
          icon="x"
          size={14}
          label="Close the run and edit"
          onClick={() => useSession.getState().setLayout("edit")}
        />
      )}
      <div className={styles.runBox} data-testid={testIds.runBox}>
        {blocked ? (
          <button
            type="button"
            className={isLoud ? "text-error" : "text-secondary"}
            onClick={() => useSession.getState().openDock("problems")}
          >
            {isLoud ? `Fix ${words} to run` : words}
          </button>
        ) : missing !== null ? (
          <Menu
            label={`No model can answer. ${missing.sentence}`}
            className={classes(costBoundStyles.costBound, "text-warning")}
            tooltip={missing.sentence}
            items={missingModelActions(missing).map(({ label, run }) => ({ id: label, label, run }))}
          >
            No model can answer
          </Menu>
        ) : (
          <CostBound />
        )}
        <RunWith onRun={() => void commandById("run.start").run()} />
        <button
          type="button"
          className={classes(buttonStyles.btn, styles.action, blocked ? styles.off : buttonStyles.primary)}
          aria-disabled={blocked}
          data-testid={testIds.runButton}
          onClick={() => void commandById("run.start").run()}
        >
          <Icon name="play" size={13} />
          Run <Key command="run.start" />
        </button>
      </div>
    </>
  );
}
