// Measures the quality of a flow on many inputs: the cases and their results, the benefit of each iteration,
// and the changes against a baseline.

import { useEffect, useState } from "react";
import { Button, IconButton } from "../components/Button";
import { classes } from "../components/classes";
import emptyStyles from "../components/Empty.module.css";
import { Icon } from "../components/Icon";
import { Message } from "../components/Message";
import pageFrameStyles from "../components/PageFrame.module.css";
import { Skeletons } from "../components/Skeletons";
import tabsStyles from "../components/Tabs.module.css";
import { tip } from "../components/tip";
import { outermost, useDocument } from "../document/document";
import { testIds } from "../testids";
import styles from "./EvaluatePage.module.css";
import { Bar, EndingNote, ProgressBar } from "./evaluate/Bar";
import { CompareTab } from "./evaluate/CompareTab";
import { CurveTab } from "./evaluate/CurveTab";
import { DataGrid } from "./evaluate/DataGrid";
import { useEvaluation } from "./evaluate/evaluation-store";
import { type Tab, useExperiment } from "./evaluate/experiment-store";
import { PolicyTab } from "./evaluate/PolicyTab";
import { RateTab } from "./evaluate/RateTab";
import { SettingsPanel } from "./evaluate/settings/SettingsPanel";

/** The refresh interval for an experiment run by another program, in milliseconds. */
const REFRESH_INTERVAL_MS = 3000;

export function EvaluatePage() {
  const path = useEvaluation((s) => s.opened?.path ?? null);
  const settings = useEvaluation((s) => s.settings);
  const flowPath = useDocument((s) => outermost(s).path);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another flow has other evaluation files.
  useEffect(() => void useEvaluation.getState().list(), [flowPath, path]);
  useEffect(() => {
    if (path !== null) void useExperiment.getState().load(path);
  }, [path]);
  const isFollowed = useExperiment((s) => s.progress === null && s.view?.summary.status === "running");
  useEffect(() => {
    if (!isFollowed) return;
    const timer = setInterval(() => void useExperiment.getState().refresh(), REFRESH_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [isFollowed]);
  if (path === null) return <NothingOpen />;
  return (
    <div className={classes(pageFrameStyles.pageFrame, styles.evaluate, settings && styles.withSettings)}>
      {settings && <SettingsPanel />}
      <main className={styles.main} aria-label="Evaluation" data-region="evaluation">
        <Bar />
        <ProgressBar />
        <EndingNote />
        <Analysis />
        <Cases />
      </main>
    </div>
  );
}

function NothingOpen() {
  const files = useEvaluation((s) => s.files);
  const hasFlow = useDocument((s) => outermost(s).path !== null);
  const { open, openWithDialog, create } = useEvaluation.getState();
  return (
    <div className={pageFrameStyles.pageFrame}>
      <main
        className={classes(emptyStyles.empty, emptyStyles.centered, styles.nothing)}
        aria-label="Evaluation"
      >
        <b>No evaluation is open</b>
        An evaluation runs a flow on every row of a data file and scores the results.
        {files.length > 0 && (
          <ul>
            {files.map((file) => (
              <li key={file.path}>
                <Button icon="flask" variant="ghost" onClick={() => void open(file.path)}>
                  {file.name}
                </Button>
              </li>
            ))}
          </ul>
        )}
        <span className={classes("row", styles.choices)}>
          <Button
            variant="primary"
            data-testid={testIds.evalNew}
            disabled={!hasFlow}
            {...tip(hasFlow ? null : "Open a flow and save it first")}
            onClick={() => void create()}
          >
            New from this flow and a data file…
          </Button>
          <Button data-testid={testIds.evalOpen} onClick={() => void openWithDialog()}>
            Open an evaluation…
          </Button>
        </span>
        {!hasFlow && <span>To create an evaluation, open a flow and save it.</span>}
      </main>
    </div>
  );
}

const TABS: readonly (readonly [tab: Tab, label: string])[] = [
  ["curve", "Quality and cost"],
  ["compare", "Comparison"],
  ["policies", "Exit policies"],
  ["rate", "Rate"],
];

function Analysis() {
  const tab = useExperiment((s) => s.tab);
  const view = useExperiment((s) => s.view);
  const shown = useExperiment((s) => s.shown);
  const failure = useExperiment((s) => s.failure);
  const [isOpen, setOpen] = useState(true);
  const choose = (next: Tab) => {
    useExperiment.getState().set({ tab: next });
    setOpen(true);
  };
  const move = (by: number) => {
    const at = TABS.findIndex(([one]) => one === tab);
    const next = TABS[(at + by + TABS.length) % TABS.length];
    if (!next) return;
    choose(next[0]);
    document.getElementById(`eval-tab-${next[0]}`)?.focus();
  };
  return (
    <section className={styles.analysis} aria-label="Analysis">
      <header>
        <div
          className={tabsStyles.tabs}
          role="tablist"
          aria-label="Analysis"
          onKeyDown={(event) => {
            const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (by === undefined) return;
            event.preventDefault();
            move(by);
          }}
        >
          {TABS.map(([one, label]) => (
            <button
              key={one}
              id={`eval-tab-${one}`}
              type="button"
              role="tab"
              aria-selected={one === tab}
              aria-controls={isOpen ? "eval-panel" : undefined}
              tabIndex={one === tab ? 0 : -1}
              data-testid={testIds.evalTab(one)}
              onClick={() => choose(one)}
            >
              {label}
            </button>
          ))}
        </div>
        <span className="grow" />
        <IconButton
          icon={isOpen ? "chevron-up" : "chevron-down"}
          size={14}
          label={isOpen ? "Hide the analysis" : "Show the analysis"}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </header>
      {isOpen && (
        <div
          id="eval-panel"
          className={styles.panel}
          role="tabpanel"
          aria-labelledby={`eval-tab-${tab}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
          tabIndex={0}
        >
          {failure !== null ? (
            <p className={classes(styles.note, "text-error")} role="alert">
              <Icon name="circle-alert" size={14} />
              <span>
                The experiment could not be read. <Message text={failure} />
              </span>
            </p>
          ) : view === null ? (
            shown === null ? (
              <p className={styles.note}>
                Choose “Run all” to measure how good the results are and how much each iteration improves
                them.
              </p>
            ) : (
              <Skeletons label="Reading the experiment" lines={4} />
            )
          ) : tab === "curve" ? (
            <CurveTab report={view.report} />
          ) : tab === "compare" ? (
            <CompareTab report={view.report} />
          ) : tab === "policies" ? (
            <PolicyTab />
          ) : (
            <RateTab />
          )}
        </div>
      )}
    </section>
  );
}

function Cases() {
  const hasView = useExperiment((s) => s.view !== null);
  const hasCases = useEvaluation((s) => s.cases !== null);
  const failure = useEvaluation((s) => s.casesFailure);
  if (hasView || hasCases) return <DataGrid />;
  if (failure !== null)
    return (
      <p className={classes(styles.note, "text-error")} role="alert">
        <Icon name="circle-alert" size={14} />
        <span>
          The data could not be read. <Message text={failure} />
        </span>
      </p>
    );
  return <Skeletons label="Reading the cases" lines={8} className={styles.loading} />;
}
