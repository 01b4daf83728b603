// Past runs: list, heat grid, comparison, outputs. Each run can be reopened on the canvas, read-only.

import { Activity, type ReactNode, useDeferredValue, useEffect } from "react";
import { Button } from "../components/Button";
import { classes } from "../components/classes";
import emptyStyles from "../components/Empty.module.css";
import pageFrameStyles from "../components/PageFrame.module.css";
import { isUnfinished, sessionOf, shownRun, useRuns } from "../runs/session/store";
import { useStores } from "../runs/session/stores";
import { useSession } from "../session/session";
import { importRun } from "./history/actions";
import { RecoveryBanner, ScheduleBanner } from "./history/Banner";
import { BatchPanel } from "./history/BatchPanel";
import { BatchTable } from "./history/BatchTable";
import { useBatches } from "./history/batches";
import { OutOfReach, PlaceBar } from "./history/PlaceBar";
import { RunDetailView } from "./history/RunDetailView";
import { RunList } from "./history/RunList";
import { ScheduleList } from "./history/ScheduleList";
import { SchedulePanel } from "./history/SchedulePanel";
import { useSchedules } from "./history/schedules";
import { type HistoryTab, indexOf, rowAt, useHistory } from "./history/store";
import styles from "./RunHistory.module.css";

/** The refresh interval of the visible list, in milliseconds. Other programs write to the same store. */
const REFRESH_INTERVAL_MS = 3000;

/**
 * The run that the editor showed on the last visit to the history. If the editor shows another run now, the
 * history selects that run.
 */
let seenInEditor: string | null = null;

/**
 * The history page. It is first rendered when it is shown or its first runs are loaded. It then stays
 * mounted, hidden behind other pages, so that it appears immediately and unchanged. While hidden it makes no
 * requests.
 */
export function KeptHistory() {
  const shown = useSession((s) => s.view === "runs");
  const known = useHistory((s) => s.tally !== null);
  if (!shown && !known) return null;
  return (
    <Activity mode={shown ? "visible" : "hidden"}>
      <RunHistory />
    </Activity>
  );
}

export function RunHistory() {
  const running = useRuns((s) => isUnfinished(s.live) || isUnfinished(s.past));
  const failure = useHistory((s) => s.failure);
  const kept = useHistory((s) => s.info?.runs);
  const isAlone = useStores((s) => s.stores.length === 0);
  const tab = useHistory((s) => s.tab);
  const hasSchedules = useSchedules((s) => s.schedules.length > 0);
  // The list is drawn first, and the details of the selected run a frame later.
  const selected = useDeferredValue(
    useHistory((s) => s.selected),
    null,
  );
  const status = useHistory((s) => rowAt(s.pages, indexOf(s.pages, selected))?.status);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that begins or ends changes the list.
  useEffect(() => void useHistory.getState().reload(), [running]);
  useEffect(() => {
    const id = shownRun(useRuns.getState())?.state.runId || null;
    const { where, select } = useHistory.getState();
    // The chosen place stays, even if a run elsewhere has started meanwhile.
    if (id !== null && id !== seenInEditor && sessionOf(id).store === where) select(id);
    seenInEditor = id;
  }, []);
  useEffect(() => {
    const batches = () => useHistory.getState().tab === "batches";
    const { load } = useStores.getState();
    const { look: lookAtSchedules } = useSchedules.getState();
    void load();
    const onFocus = () => {
      void load();
      void lookAtSchedules();
      void (batches() ? useBatches.getState().reload() : useHistory.getState().reload());
    };
    window.addEventListener("focus", onFocus);
    const looking = setInterval(() => {
      void lookAtSchedules();
      void (batches() ? useBatches.getState().look() : useHistory.getState().look());
    }, REFRESH_INTERVAL_MS);
    return () => {
      window.removeEventListener("focus", onFocus);
      clearInterval(looking);
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab shows more or fewer firings.
  useEffect(() => void useSchedules.getState().look(), [tab]);
  // If there are shared stores, the user can still choose another place, and a line shows the error.
  if (isAlone && failure !== null) return <Unreadable why={failure.message} />;
  if (tab === "schedules") {
    return (
      <div className={classes(pageFrameStyles.pageFrame, styles.runs)}>
        <Column tab={tab} />
        <main className={styles.detail} aria-label="Selected schedule" data-region="run">
          <SchedulePanel />
        </main>
      </div>
    );
  }
  // A schedule can have failed to start before any run was recorded.
  if (isAlone && kept === 0 && !hasSchedules) return <NothingYet />;
  if (tab === "batches") {
    return (
      <div className={classes(pageFrameStyles.pageFrame, styles.runs, styles.withBatches)}>
        <Column tab={tab} />
        <main className={styles.detail} aria-label="Selected batch" data-region="run">
          <BatchPanel />
        </main>
      </div>
    );
  }
  return (
    <div className={classes(pageFrameStyles.pageFrame, styles.runs)}>
      <Column tab={tab} />
      <main className={styles.detail} aria-label="Selected run" data-region="run">
        <ScheduleBanner />
        <RecoveryBanner />
        {selected !== null && <RunDetailView key={selected} runId={selected} status={status} />}
      </main>
    </div>
  );
}

const COLUMNS: Record<HistoryTab, { label: string; List: () => ReactNode }> = {
  runs: { label: "Run history", List: RunList },
  batches: { label: "Batches", List: BatchTable },
  schedules: { label: "Schedules", List: ScheduleList },
};

/** The left column. All lists share one element, so that switching between them keeps the focus. */
function Column({ tab }: { tab: HistoryTab }) {
  const { label, List } = COLUMNS[tab];
  return (
    <aside className={styles.column} aria-label={label} data-region="runs">
      <PlaceBar />
      <OutOfReach />
      <List />
    </aside>
  );
}

function Unreadable({ why }: { why: string }) {
  return (
    <div className={pageFrameStyles.pageFrame}>
      <div className={classes(emptyStyles.empty, emptyStyles.centered)} role="alert">
        <b>The history could not be read</b>
        {why}
        <Button onClick={() => void useHistory.getState().reload()}>Try again</Button>
      </div>
    </div>
  );
}

function NothingYet() {
  return (
    <div className={pageFrameStyles.pageFrame}>
      <div className={classes(emptyStyles.empty, emptyStyles.centered)}>
        <b>No runs yet</b>
        Every run is kept here with all its iterations.
        <span className="row">
          <Button variant="primary" onClick={() => useSession.getState().show("gallery")}>
            Choose a template
          </Button>
          <Button onClick={() => void importRun()}>Import a run…</Button>
        </span>
      </div>
    </div>
  );
}
