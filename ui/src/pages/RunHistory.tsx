// Past runs: list, heat grid, comparison, outputs. Any of them opens on the canvas again, read only.
import { Activity, useDeferredValue, useEffect } from "react";
import { Button } from "../components/Button";
import { isUnfinished, sessionOf, shownRun, useRuns } from "../runs/session/store";
import { useStores } from "../runs/session/stores";
import { useSession } from "../session/session";
import { importRun } from "./history/actions";
import { RecoveryBanner } from "./history/Banner";
import { BatchPanel } from "./history/BatchPanel";
import { BatchTable } from "./history/BatchTable";
import { useBatches } from "./history/batches";
import { OutOfReach, PlaceBar } from "./history/PlaceBar";
import { RunDetailView } from "./history/RunDetailView";
import { RunList } from "./history/RunList";
import { indexOf, rowAt, useHistory } from "./history/store";

/** How often the list is looked at again while it is seen, in milliseconds: other programs write to the same store. */
const REFRESH_INTERVAL_MS = 3000;

/** The run that the editor showed when the history was last come to: a newer one is what one comes for. */
let seenInEditor: string | null = null;

/**
 * The history, drawn once its first page is known, and hidden while another page is looked at: then it is there at once,
 * also for the first time, and where it was left. What is hidden asks for nothing.
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
  const inBatches = useHistory((s) => s.tab === "batches");
  // The list is drawn first; what there is to read of a run comes a frame later.
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
    // The place that was chosen stays, whatever was run meanwhile.
    if (id !== null && id !== seenInEditor && sessionOf(id).store === where) select(id);
    seenInEditor = id;
  }, []);
  useEffect(() => {
    const batches = () => useHistory.getState().tab === "batches";
    const { load } = useStores.getState();
    void load();
    const onFocus = () => {
      void load();
      void (batches() ? useBatches.getState().reload() : useHistory.getState().reload());
    };
    window.addEventListener("focus", onFocus);
    const looking = setInterval(
      () => void (batches() ? useBatches.getState().look() : useHistory.getState().look()),
      REFRESH_INTERVAL_MS,
    );
    return () => {
      window.removeEventListener("focus", onFocus);
      clearInterval(looking);
    };
  }, []);
  // With stores, the choice of the place stays in reach, and a line says what is wrong.
  if (isAlone && failure !== null) return <Unreadable why={failure.message} />;
  if (isAlone && kept === 0) return <NothingYet />;
  if (inBatches) {
    return (
      <div className="main runs with-batches">
        <Column label="Batches" />
        <main className="run-detail" aria-label="The chosen batch" data-region="run">
          <BatchPanel />
        </main>
      </div>
    );
  }
  return (
    <div className="main runs">
      <Column label="Run history" />
      <main className="run-detail" aria-label="The chosen run" data-region="run">
        <RecoveryBanner />
        {selected !== null && <RunDetailView key={selected} runId={selected} status={status} />}
      </main>
    </div>
  );
}

/** The column on the left: one element for runs and batches, so that the switch between them keeps the focus. */
function Column({ label }: { label: "Run history" | "Batches" }) {
  return (
    <aside className="run-column" aria-label={label} data-region="runs">
      <PlaceBar />
      <OutOfReach />
      {label === "Batches" ? <BatchTable /> : <RunList />}
    </aside>
  );
}

function Unreadable({ why }: { why: string }) {
  return (
    <div className="main">
      <div className="empty nothing" role="alert">
        <b>The history could not be read</b>
        {why}
        <Button onClick={() => void useHistory.getState().reload()}>Try again</Button>
      </div>
    </div>
  );
}

function NothingYet() {
  return (
    <div className="main">
      <div className="empty nothing">
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
