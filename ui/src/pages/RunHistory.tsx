// Past runs: list, heat grid, outputs. Any of them opens on the canvas again, read only.
import { useCallback, useEffect, useState } from "react";
import { Button } from "../components/Button";
import { api, errorMessage } from "../ipc/client";
import type { RunSummary } from "../ipc/generated/bindings";
import { isRunning, useRuns } from "../runs/store";
import { useChosenIteration } from "../session/chosen-iteration";
import { ask } from "../session/dialog";
import { useSession } from "../session/session";
import { type Filter, NO_FILTER } from "./history/filter";
import { RunDetailView } from "./history/RunDetailView";
import { RunList } from "./history/RunList";
import "../inspector/inspector.css";
import "../inspector/run/run.css";
import "./pages-extra.css";

/** Opens a past run on the canvas, at a node and an iteration where given. */
export async function openRun(
  runId: string,
  at?: { nodeId: string; loopId: string; number: number },
): Promise<void> {
  const session = useSession.getState();
  try {
    await useRuns.getState().open(runId);
    session.setLayout("run");
    session.select(at ? [at.nodeId] : []);
    if (at) useChosenIteration.getState().choose(at.loopId, at.number);
    session.show("editor");
  } catch (error) {
    session.toast({ tone: "error", title: "The run could not be opened", detail: errorMessage(error) });
  }
}

export function RunHistory() {
  const [runs, setRuns] = useState<readonly RunSummary[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [selected, setSelected] = useState<string | null>(null);
  const [compareWith, setCompareWith] = useState<string | null>(null);
  const [filter, setFilter] = useState<Filter>(NO_FILTER);
  const running = useRuns((s) => isRunning(s.live));
  const load = useCallback(async () => {
    try {
      const found = await api().runs();
      setRuns(found);
      setFailure(null);
      setSelected((id) => (found.some((r) => r.runId === id) ? id : (found[0]?.runId ?? null)));
    } catch (error) {
      setFailure(errorMessage(error));
    }
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that begins or ends changes the list.
  useEffect(() => void load(), [load, running]);
  const remove = async (runId: string) => {
    const answer = await ask({
      title: "Delete this run?",
      detail: "Its iterations and outputs are removed from the history. The workflow file stays as it is.",
      choices: [
        { label: "Delete", value: "delete", tone: "danger" },
        { label: "Cancel", value: "cancel" },
      ],
      cancel: "cancel",
    });
    if (answer !== "delete") return;
    try {
      await api().deleteRun(runId);
      await load();
    } catch (error) {
      useSession
        .getState()
        .toast({ tone: "error", title: "The run was not deleted", detail: errorMessage(error) });
    }
  };
  const resume = async (runId: string) => {
    const session = useSession.getState();
    try {
      session.setLayout("run");
      await useRuns.getState().resume(runId);
      session.select([]);
      session.show("editor");
    } catch (error) {
      session.toast({ tone: "error", title: "The run was not resumed", detail: errorMessage(error) });
    }
  };
  if (failure !== null) {
    return (
      <div className="main">
        <div className="empty nothing" role="alert">
          <b>The history could not be read</b>
          {failure}
          <Button onClick={() => void load()}>Try again</Button>
        </div>
      </div>
    );
  }
  if (runs !== null && runs.length === 0) {
    return (
      <div className="main">
        <div className="empty nothing">
          <b>No runs yet</b>
          Every run is kept here with all its iterations.
          <span className="row">
            <Button variant="primary" onClick={() => useSession.getState().show("gallery")}>
              Choose a template
            </Button>
            <Button onClick={() => useSession.getState().show("editor")}>Back to the editor</Button>
          </span>
        </div>
      </div>
    );
  }
  return (
    <div className="main runs">
      <RunList
        runs={runs ?? []}
        selected={selected}
        compared={compareWith === selected ? null : compareWith}
        filter={filter}
        onFilter={setFilter}
        onSelect={setSelected}
        onOpen={(id) => void openRun(id)}
      />
      {selected === null ? (
        <main className="rmain" />
      ) : (
        <RunDetailView
          key={selected}
          runId={selected}
          status={runs?.find((r) => r.runId === selected)?.status}
          runs={runs ?? []}
          compareWith={compareWith === selected ? null : compareWith}
          onCompare={setCompareWith}
          onSwap={() => {
            setSelected(compareWith);
            setCompareWith(selected);
          }}
          onOpen={(at) => void openRun(selected, at)}
          onResume={() => void resume(selected)}
          onDelete={() => void remove(selected)}
        />
      )}
    </div>
  );
}
