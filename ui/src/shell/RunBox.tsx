// Run, with the most it can cost before, and what it has cost while it goes.
import { useEffect, useState } from "react";
import { commandById } from "../commands";
import { Button, IconButton } from "../components/Button";
import { Icon } from "../components/Icon";
import { useAnalysis } from "../document/analysis";
import { RunWith } from "../inspector/RunWith";
import type { Estimate } from "../ipc/generated/bindings";
import { type ActiveRun, useActiveRun } from "../runs";
import { formatCost, formatDuration, formatUsd, plural } from "../runs/format";
import { isRunning, shownRun, useRuns } from "../runs/store";
import { useSession } from "../session/session";
import { testIds } from "../testids";
import { Key } from "./Key";

/** How often the clock of a running run moves on, in milliseconds. */
const TICK_MS = 200;

function useElapsed(run: ActiveRun, running: boolean): number | null {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [running]);
  if (!running) return run.durationMs;
  return run.startedAt === null ? null : Math.max(0, now - run.startedAt);
}

function Bound({ estimate }: { estimate: Estimate }) {
  const { maxCalls, usd, note } = estimate;
  return (
    <span title={note || undefined} data-testid={testIds.callEstimate}>
      {maxCalls === 0 ? (
        "no model calls"
      ) : maxCalls === null ? (
        "calls depend on the input"
      ) : (
        <>
          up to <b>{plural(maxCalls, "call")}</b>
        </>
      )}
      {usd !== null && usd > 0 && (
        <>
          {" · ≤ "}
          <b>{formatUsd(usd)}</b>
        </>
      )}
    </span>
  );
}

export function RunBox() {
  const run = useActiveRun();
  const stopping = useRuns((s) => s.stopping);
  const starting = useRuns((s) => s.starting);
  const past = useRuns((s) => s.past !== null);
  const live = useRuns((s) => isRunning(shownRun(s)));
  const ran = useRuns((s) => s.live !== null);
  const layout = useSession((s) => s.layout);
  const running = run.status === "running" || run.status === "waiting" || starting;
  const elapsed = useElapsed(run, running);
  const estimate = useAnalysis((s) => s.whole.estimate);
  const errors = useAnalysis((s) => s.whole.problems.filter((p) => p.severity === "error").length);
  if (past && !(running && live)) {
    return (
      <>
        <span className="chip big queued">
          <Icon name="history" size={12} />
          Past run, read only
        </span>
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
  if (running) {
    return (
      <>
        <span className={`chip big ${run.status === "waiting" ? "waiting" : "running"}`}>
          <i className="dot pulse" />
          {stopping ? "Stopping" : run.status === "waiting" ? "Waiting" : "Running"}
        </span>
        <div className="runbox">
          <span className="run-clock">
            <b>{formatDuration(elapsed ?? 0)}</b>
            {run.usage && run.usage.calls > 0 && (
              <>
                {" · "}
                <b>{plural(run.usage.calls, "call")}</b>
                {run.usage.cost_usd !== null && ` · ${formatCost(run.usage)}`}
              </>
            )}
          </span>
          <button
            type="button"
            className="btn stop"
            disabled={stopping}
            data-testid={testIds.stopButton}
            onClick={() => void commandById("run.stop").run()}
          >
            <Icon name="square" size={11} />
            Stop <Key command="run.stop" />
          </button>
        </div>
      </>
    );
  }
  const blocked = errors > 0;
  return (
    <>
      {layout === "edit" && ran && (
        <IconButton
          icon="history"
          size={14}
          label="Show the last run again"
          data-testid="show-last-run"
          onClick={() => useSession.getState().setLayout("run")}
        />
      )}
      {layout === "run" && (
        <IconButton
          icon="x"
          size={14}
          label="Close the run and go on editing"
          onClick={() => useSession.getState().setLayout("edit")}
        />
      )}
      <div className="runbox">
        {blocked ? (
          <button type="button" className="c-err" onClick={() => useSession.getState().openDock("problems")}>
            Fix {plural(errors, "error")} to run
          </button>
        ) : (
          <Bound estimate={estimate} />
        )}
        <RunWith onRun={() => void commandById("run.start").run()} />
        <button
          type="button"
          className={`btn ${blocked ? "off" : "primary"}`}
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
