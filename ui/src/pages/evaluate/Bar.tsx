// The bar of the page: the evaluation, the experiment, and the buttons that run cells.

import { Button, IconButton } from "../../components/Button";
import buttonStyles from "../../components/Button.module.css";
import chipStyles from "../../components/Chip.module.css";
import { classes } from "../../components/classes";
import fileButtonStyles from "../../components/FileButton.module.css";
import { Icon, type IconName } from "../../components/Icon";
import marksStyles from "../../components/Marks.module.css";
import { Message } from "../../components/Message";
import { Select } from "../../components/Select";
import { tip } from "../../components/tip";
import { outermost, useDocument } from "../../document/document";
import type { ExperimentStatus, ExperimentSummary } from "../../ipc/evaluation";
import {
  formatClock,
  formatCount,
  formatDay,
  formatDuration,
  formatUsd,
  plural,
} from "../../runs/words/format";
import { Menu } from "../../shell/Menu";
import { testIds } from "../../testids";
import { deleteExperiment, exportExperiment, runAll, runCells, runSelected, stopExperiment } from "./actions";
import styles from "./Bar.module.css";
import { isChanged, useEvaluation } from "./evaluation-store";
import { useExperiment } from "./experiment-store";

export const STATUS_WORDS: Record<ExperimentStatus, string> = {
  running: "running",
  completed: "completed",
  stopped: "stopped",
  over_budget: "stopped by its budget",
  interrupted: "interrupted",
  failed: "failed",
};

/** Formats an experiment: "Today 14:02, completed, $1.20". */
export function experimentLabel(one: ExperimentSummary, now: number): string {
  const began = Date.parse(one.startedAt);
  const parts = [
    `${formatDay(began, now)} ${formatClock(began)}`,
    STATUS_WORDS[one.status],
    formatUsd(one.costUsd),
  ];
  return parts.join(", ");
}

const EXPORTS: readonly [ending: string, label: string, icon: IconName][] = [
  ["html", "Report (HTML)…", "file-text"],
  ["csv", "Cases (CSV)…", "rows-3"],
  ["jsonl", "Results (JSONL)…", "file-json"],
  ["json", "Inspect log (JSON)…", "file-json"],
  ["xml", "JUnit (XML)…", "list-checks"],
];

export function Bar() {
  const opened = useEvaluation((s) => s.opened);
  const evaluation = useEvaluation((s) => s.evaluation);
  const changed = useEvaluation(isChanged);
  const settings = useEvaluation((s) => s.settings);
  const problems = useEvaluation((s) => s.problems.length);
  const { save, showSettings } = useEvaluation.getState();
  if (opened === null || evaluation === null) return null;
  return (
    <div className={styles.bar}>
      <IconButton
        icon="sliders-horizontal"
        label={settings ? "Hide the settings" : "Show the settings"}
        on={settings}
        onClick={() => showSettings(!settings)}
      />
      <FileMenu name={evaluation.name} changed={changed} />
      <Button
        small
        icon="save"
        disabled={!changed}
        data-testid={testIds.evalSave}
        onClick={() => void save()}
      >
        Save
      </Button>
      {/* The chip is placed after Save. Before Save, it would move that button under the pointer whenever
          problems appear or disappear. */}
      {problems > 0 && (
        <button
          type="button"
          className={classes(chipStyles.chip, chipStyles.failed)}
          onClick={() => showSettings(true)}
        >
          <Icon name="circle-alert" size={12} />
          {plural(problems, "problem")}
        </button>
      )}
      <span className="divider" />
      <Experiments />
      <span className="grow" />
      <RunButtons />
    </div>
  );
}

function FileMenu({ name, changed }: { name: string; changed: boolean }) {
  const files = useEvaluation((s) => s.files);
  const path = useEvaluation((s) => s.opened?.path);
  const hasFlow = useDocument((s) => outermost(s).path !== null);
  const { open, openWithDialog, create } = useEvaluation.getState();
  const items = [
    ...files
      .filter((file) => file.path !== path)
      .map((file) => ({
        id: file.path,
        label: file.name,
        hint: file.path.split(/[\\/]/).at(-1),
        run: () => void open(file.path),
      })),
    {
      id: "open",
      label: "Open an evaluation…",
      icon: "folder-open" as const,
      run: () => void openWithDialog(),
    },
    {
      id: "new",
      label: "New from this flow and a data file…",
      icon: "file-plus" as const,
      disabled: !hasFlow,
      run: () => void create(),
    },
  ];
  return (
    <Menu
      label={`Evaluation: ${name}${changed ? ", unsaved changes" : ""}`}
      className={classes(fileButtonStyles.fileButton, styles.name)}
      items={items}
    >
      <Icon name="flask" size={14} />
      <b className="clip-text">{name}</b>
      {/* The space for this mark is always reserved, so that the elements after it do not move. */}
      {changed ? (
        <i
          className={marksStyles.dirty}
          role="img"
          aria-label="Unsaved changes"
          {...tip("Unsaved changes")}
        />
      ) : (
        <i className={classes(marksStyles.dirty, styles.unchanged)} />
      )}
      <Icon name="chevron-down" size={12} />
    </Menu>
  );
}

function Experiments() {
  const list = useExperiment((s) => s.list);
  const shown = useExperiment((s) => s.shown);
  const view = useExperiment((s) => s.view);
  if (list.length === 0) return <span className="text-tertiary clip-text">No experiment yet</span>;
  const now = Date.now();
  return (
    <>
      <Select
        className={styles.experiment}
        label="Experiment"
        testId={testIds.evalExperiment}
        value={shown ?? ""}
        options={list.map((one) => ({ value: one.id, label: experimentLabel(one, now) }))}
        onChange={(id) => void useExperiment.getState().show(id)}
      />
      {view !== null && (
        <>
          <Menu
            label="Export the experiment"
            className={classes(buttonStyles.iconButton)}
            items={EXPORTS.map(([ending, label, icon]) => ({
              id: ending,
              label,
              icon,
              run: () => void exportExperiment(ending),
            }))}
          >
            <Icon name="download" size={15} />
          </Menu>
          <IconButton
            icon="trash-2"
            size={14}
            label="Delete the experiment…"
            disabled={view.summary.status === "running"}
            onClick={() => void deleteExperiment()}
          />
        </>
      )}
    </>
  );
}

function RunButtons() {
  const view = useExperiment((s) => s.view);
  const progress = useExperiment((s) => s.progress);
  const selected = useExperiment((s) => s.selected.size);
  if (progress !== null || view?.summary.status === "running")
    return (
      <Button
        icon="square"
        variant="danger"
        data-testid={testIds.evalStop}
        disabled={progress?.id === ""}
        onClick={() => void stopExperiment()}
      >
        Stop
      </Button>
    );
  const { total = 0, done = 0, failed = 0, status } = view?.summary ?? {};
  const empty = total - done;
  const perCase = (view?.report.variants.length ?? 0) * (view?.evaluation.repetitions ?? 1);
  const isHalfDone = empty > 0 && status !== "completed";
  return (
    <div className={styles.run}>
      {selected > 0 && view !== null && (
        <Button data-testid={testIds.evalRunSelected} onClick={() => void runSelected()}>
          Run selected
          <span className={classes(buttonStyles.count, buttonStyles.ok)}>
            {formatCount(selected * perCase)}
          </span>
        </Button>
      )}
      {failed > 0 && (
        <Button data-testid={testIds.evalRunFailed} onClick={() => void runCells("failed", failed)}>
          Rerun failed
          <span className={classes(buttonStyles.count, buttonStyles.hasError)}>{formatCount(failed)}</span>
        </Button>
      )}
      {empty > 0 && (
        <Button
          data-testid={testIds.evalRunEmpty}
          variant={isHalfDone ? "primary" : "plain"}
          {...tip(isHalfDone ? "Resume this experiment where it stopped" : null)}
          onClick={() => void runCells("empty", empty)}
        >
          Run empty
          <span className={classes(buttonStyles.count, buttonStyles.ok, isHalfDone && styles.onPrimary)}>
            {formatCount(empty)}
          </span>
        </Button>
      )}
      <Button
        icon="play"
        variant={isHalfDone ? "plain" : "primary"}
        data-testid={testIds.evalRunAll}
        {...tip("Start a new experiment with every case")}
        onClick={() => void runAll()}
      >
        Run all
      </Button>
    </div>
  );
}

/** Shows the progress of the experiment, from the moment it starts. */
export function ProgressBar() {
  const own = useExperiment((s) => s.progress);
  const summary = useExperiment((s) => s.view?.summary ?? null);
  // If another program runs it, only its recorded progress is known.
  const other =
    summary?.status === "running" ? { ...summary, perSecond: 0, secondsLeft: null, scoring: 0 } : null;
  const progress = own ?? other;
  if (progress === null) return null;
  const { done, total, failed, costUsd, perSecond, secondsLeft, scoring } = progress;
  const rate =
    perSecond >= 1
      ? `${perSecond.toFixed(1)} runs per second`
      : `${(perSecond * 60).toFixed(1)} runs per minute`;
  const facts = [
    failed > 0 && `${formatCount(failed)} failed`,
    formatUsd(costUsd),
    perSecond > 0 && rate,
    scoring > 0 && `scoring ${formatCount(scoring)}`,
    secondsLeft !== null && `${formatDuration(secondsLeft * 1000)} left`,
  ].filter((fact) => fact !== false);
  return (
    <div className={styles.progress} data-testid={testIds.evalProgress}>
      <span className={classes(marksStyles.meter, styles.meter)}>
        <i style={{ width: `${total === 0 ? 0 : (100 * done) / total}%` }} />
      </span>
      <progress className="sr-only" aria-label="Experiment progress" value={done} max={total} />
      <span>
        <b>
          {formatCount(done)} of {formatCount(total)}
        </b>
        {facts.length > 0 && `, ${facts.join(", ")}`}
      </span>
    </div>
  );
}

/** Explains for each status why the shown experiment has empty cells, and how to fill them. */
const ENDINGS: Partial<Record<ExperimentStatus, string>> = {
  stopped: "This experiment was stopped. “Run empty” resumes it without repeating finished runs.",
  interrupted: "This experiment was interrupted. “Run empty” resumes it without repeating finished runs.",
  over_budget:
    "The evaluation has reached its budget. Raise the budget in the settings, then choose “Run all”.",
  failed: "This experiment failed.",
};

export function EndingNote() {
  const summary = useExperiment((s) => (s.progress === null ? (s.view?.summary ?? null) : null));
  const words = summary === null ? undefined : ENDINGS[summary.status];
  if (summary === null || (words === undefined && summary.error === null)) return null;
  const { status, error } = summary;
  return (
    <p
      className={classes(styles.ending, status === "failed" ? "text-error" : "text-warning")}
      role={status === "failed" ? "alert" : "status"}
    >
      <Icon name={status === "failed" ? "circle-alert" : "info"} size={13} />
      <span>
        {words} {error !== null && <Message text={error} />}
      </span>
    </p>
  );
}
