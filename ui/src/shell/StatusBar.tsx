// The status bar: the state of the file or the run on the left, the wire types in the middle, the storage
// location on the right.

import { useEffect, useState } from "react";
import { useShallow } from "zustand/react/shallow";
import { socketShape } from "../canvas/wires/Socket";
import { hintOf } from "../commands/keyboard";
import { waitingCommand } from "../commands/window";
import { classes } from "../components/classes";
import { Icon } from "../components/Icon";
import marksStyles from "../components/Marks.module.css";
import { socketLook } from "../components/socket-look";
import { tip } from "../components/tip";
import { wireLook } from "../components/wire-look";
import { useAnalysis } from "../document/analysis";
import { useDirty, useDocument } from "../document/document";
import { useProblemCount } from "../document/quiet";
import { titleIn } from "../kernels/node-title";
import { plainMessage } from "../kernels/typeset";
import { HistoryStatus } from "../pages/history/HistoryBar";
import { useHistory } from "../pages/history/store";
import { useWaiting } from "../pages/waiting/store";
import { useActiveRun } from "../runs";
import { isUnfinishedStatus } from "../runs/fold/status";
import { useProviders } from "../runs/inputs/providers";
import { sessionOf, shownRun, useRuns } from "../runs/session/store";
import { useStores } from "../runs/session/stores";
import { useRunningNodes } from "../runs/view/running";
import { callWords, formatAgo, formatCount, plural, totalTokens } from "../runs/words/format";
import { useAttention } from "../session/attention";
import { useSession } from "../session/session";
import { testIds } from "../testids";
import styles from "./StatusBar.module.css";

const types = ["text", "json", "number", "boolean", "any"] as const;

function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

function Legend() {
  return (
    <ul className={styles.legend} aria-label="Wire types">
      {types.map((type) => (
        <li key={type}>
          <i className={classes(socketLook(socketShape(type)), styles.shape)} data-type={type} />
          {type}
        </li>
      ))}
      <li>
        <svg width="20" height="6" aria-hidden="true">
          <path d="M1 3H19" className={wireLook("feedback")} />
        </svg>
        feedback
      </li>
    </ul>
  );
}

function FileState() {
  const savedAt = useDocument((s) => s.savedAt);
  const path = useDocument((s) => s.path);
  const dirty = useDirty();
  const past = useDocument((s) => s.suspended !== null);
  const now = useNow(20_000);
  const failure = useAnalysis((s) => s.failure);
  const nodes = useDocument((s) => s.document.nodes.length);
  const wires = useDocument((s) => s.document.edges.length);
  const selected = useSession(({ selection: { nodes, edges } }) =>
    nodes.size > 0 ? `${nodes.size}` : edges.size > 0 ? plural(edges.size, "wire") : null,
  );
  const { errors, warnings, words, isLoud } = useProblemCount();
  const saved =
    savedAt !== null && !dirty ? `Saved ${formatAgo(savedAt, now)}` : path ? "Saved" : "Not saved yet";
  return (
    <div>
      {past ? (
        <span>
          <Icon name="history" size={12} />
          Past run
        </span>
      ) : dirty ? (
        <span>Unsaved changes</span>
      ) : (
        <span>
          {path && <Icon name="check" size={12} />}
          {saved}
        </span>
      )}
      {errors > 0 && (
        <span className={isLoud ? "text-error" : "text-secondary"}>
          <Icon name={isLoud ? "circle-alert" : "circle-dashed"} size={12} />
          {words}
        </span>
      )}
      {warnings > 0 && (
        <span className="text-warning">
          <Icon name="triangle-alert" size={12} />
          {plural(warnings, "warning")}
        </span>
      )}
      {failure && (
        <span className="text-error" {...tip(plainMessage(failure))}>
          Could not be checked
        </span>
      )}
      <span>{plural(nodes, "node")}</span>
      <span>{plural(wires, "wire")}</span>
      {selected !== null && <span>{selected} selected</span>}
    </div>
  );
}

/**
 * Describes what is running: the outermost running loop and the nodes running in it, such as "Refine,
 * iteration 3 of 5: Revise".
 */
function useWhereItIs(): string {
  const nodes = useDocument((s) => s.document.nodes);
  const name = useDocument((s) => s.document.name ?? "Run");
  const running = useRunningNodes();
  const loop = useRuns(
    useShallow((s) => {
      const state = shownRun(s)?.state;
      const id = state?.loopIds.find((loopId) => state.root.steps[loopId]?.status === "running");
      const record = id === undefined ? null : state?.root.steps[id]?.loop;
      return record ? { id: record.nodeId, current: record.current, total: record.total } : null;
    }),
  );
  const title = (id: string) => titleIn({ nodes }, id);
  const inside = running.filter((id) => id !== loop?.id).map(title);
  const what = inside.length > 0 ? `: ${inside.join(", ")}` : "";
  if (!loop || loop.current === 0) return `${name}, running${what}`;
  return `${title(loop.id)}, iteration ${loop.current}${loop.total === null ? "" : ` of ${loop.total}`}${what}`;
}

function RunState() {
  const run = useActiveRun();
  const where = useWhereItIs();
  const name = useDocument((s) => s.document.name ?? "The run");
  const store = run.runId === null ? null : sessionOf(run.runId).store;
  const silent = useStores((s) => (store === null ? undefined : s.silent[store]));
  if (silent !== undefined) {
    return (
      <div>
        <span className="text-warning" role="status" {...tip(silent)}>
          <Icon name="triangle-alert" size={12} />
          The store {store} does not answer. Trying again…
        </span>
      </div>
    );
  }
  return (
    <div>
      <span className={run.status === "running" ? "text-running" : "text-warning"}>
        <i className={classes(marksStyles.dot, marksStyles.pulse)} />
        {run.status === "waiting"
          ? `${name} waits for your answer`
          : run.status === "queued"
            ? `${name} waits for a worker`
            : run.status === "paused"
              ? run.pausing
                ? "Pausing after the current step"
                : `${name} is paused`
              : where}
      </span>
      {run.usage && run.usage.calls > 0 && (
        <>
          <span>{callWords(run.usage)}</span>
          <span>{formatCount(totalTokens(run.usage))} tokens</span>
        </>
      )}
    </div>
  );
}

/** Shows the number of open questions of all runs, as a link to them. Shows nothing if there are none. */
function OpenQuestions() {
  const count = useWaiting((s) => s.questions?.length ?? 0);
  const isShown = useSession((s) => s.view === "waiting");
  if (count === 0 || isShown) return null;
  const { label, run } = waitingCommand;
  return (
    <button
      type="button"
      className={styles.questions}
      data-testid={testIds.openQuestions}
      {...tip(label, hintOf(waitingCommand))}
      onClick={() => void run()}
    >
      <Icon name="circle-pause" size={12} />
      {plural(count, "question waits", "questions wait")} for you
    </button>
  );
}

/** Shows that the computer is kept awake while runs are active, or why that is not possible. */
function KeptAwake() {
  const { active, awake, awake_trouble: trouble } = useAttention();
  const isWanted = useProviders((s) => s.settings?.keepAwake ?? true);
  if (active === 0 || (!awake && (trouble === null || !isWanted))) return null;
  const change = "Change this in Settings, Runs and limits.";
  return awake ? (
    <span data-testid={testIds.keptAwake} {...tip(`The display may turn off. ${change}`)}>
      <Icon name="coffee" size={12} />
      Kept awake while {active === 1 ? "a run is" : `${active} runs are`} active
    </span>
  ) : (
    <span
      className="text-warning"
      data-testid={testIds.keptAwake}
      {...tip(
        `Loopwright can't keep the computer awake: ${trouble}. Use the computer's own settings instead. ${change}`,
      )}
    >
      <Icon name="triangle-alert" size={12} />
      The computer may fall asleep
    </span>
  );
}

/** Describes where the shown content is stored; null if it is stored on this computer. */
function usePlace(inHistory: boolean, running: boolean): string | null {
  const where = useHistory((s) => s.where);
  const runId = useActiveRun().runId;
  const store = inHistory ? where : running && runId !== null ? sessionOf(runId).store : null;
  return store === null ? null : `Runs in ${store} stay on its server`;
}

export function StatusBar() {
  const view = useSession((s) => s.view);
  const status = useActiveRun().status;
  const running = isUnfinishedStatus(status);
  const place = usePlace(view === "runs", running);
  return (
    <footer className={styles.status} data-region="status">
      {view === "runs" ? (
        <HistoryStatus />
      ) : running ? (
        <RunState />
      ) : view === "editor" ? (
        <FileState />
      ) : (
        <div />
      )}
      {view === "editor" ? <Legend /> : <div />}
      <div>
        <OpenQuestions />
        <KeptAwake />
        <span>
          {place !== null ? (
            <>
              <Icon name="database" size={12} />
              {place}
            </>
          ) : running ? (
            "Every step is saved"
          ) : (
            <>
              <Icon name="lock" size={12} />
              Files and runs stay on this computer
            </>
          )}
        </span>
      </div>
    </footer>
  );
}
