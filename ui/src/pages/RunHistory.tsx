// Past runs: list, heat grid, comparison, outputs. Any of them opens on the canvas again, read only.
import { Activity, useDeferredValue, useEffect } from "react";
import { Button } from "../components/Button";
import { isRunning, shownRun, useRuns } from "../runs/store";
import { useSession } from "../session/session";
import { importRun } from "./history/actions";
import { RecoveryBanner } from "./history/Banner";
import { RunDetailView } from "./history/RunDetailView";
import { RunList } from "./history/RunList";
import { indexOf, rowAt, useHistory } from "./history/store";

/** How often the list is looked at anew while it is seen, in milliseconds: other programs write to the same store. */
const LOOK_MS = 3000;

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
  const running = useRuns((s) => isRunning(s.live) || isRunning(s.past));
  const failure = useHistory((s) => s.failure);
  const kept = useHistory((s) => s.info?.runs);
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
    if (id !== null && id !== seenInEditor) useHistory.getState().select(id);
    seenInEditor = id;
  }, []);
  useEffect(() => {
    const onFocus = () => void useHistory.getState().reload();
    window.addEventListener("focus", onFocus);
    const looking = setInterval(() => void useHistory.getState().look(), LOOK_MS);
    return () => {
      window.removeEventListener("focus", onFocus);
      clearInterval(looking);
    };
  }, []);
  if (failure !== null) return <Unreadable why={failure} />;
  if (kept === 0) return <NothingYet />;
  return (
    <div className="main runs">
      <RunList />
      <main className="run-detail" aria-label="The chosen run" data-region="run">
        <RecoveryBanner />
        {selected !== null && <RunDetailView key={selected} runId={selected} status={status} />}
      </main>
    </div>
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
