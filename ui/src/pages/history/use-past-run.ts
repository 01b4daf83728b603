// Loads a past run for the history: its detail, and its events when they are needed.
import { useCallback, useEffect, useRef, useState } from "react";
import { api, errorMessage } from "../../ipc/client";
import type { RunDetail, RunStatus } from "../../ipc/generated/bindings";
import type { RunState } from "../../runs/fold/model";
import { graftEvents, loopAt, readRun } from "../../runs/fold/past";
import { isActive, isUnfinishedStatus } from "../../runs/fold/status";

/** The refresh interval of an unfinished run, in milliseconds. */
const FOLLOW_INTERVAL_MS = 2000;

export type PastRun = {
  readonly detail: RunDetail | null;
  readonly state: RunState | null;
  readonly failure: string | null;
  /** Loads the iterations in `numbers` that are not loaded yet. Iterations count from 1. */
  need(loopPath: string, numbers: readonly number[]): void;
};

/**
 * Returns a past run. `status` is its status in the list; when it changes, the run is loaded again.
 * `isReached` is false while the store of the run does not answer; loaded content then stays.
 */
export function usePastRun(runId: string | null, status?: RunStatus, isReached = true): PastRun {
  const [loaded, setLoaded] = useState<{ detail: RunDetail; state: RunState } | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [again, setAgain] = useState(0);
  const asked = useRef(new Set<string>());
  /**
   * The run, status and turn for which a finished run was last loaded. A finished run does not change, so it
   * is not loaded again.
   */
  const over = useRef("");
  useEffect(() => {
    const which = `${runId} ${status} ${again}`;
    if (runId === null || !isReached || over.current === which) return;
    let wanted = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      const { detail, state } = await readRun(runId);
      if (!wanted) return;
      asked.current = new Set();
      setFailure(null);
      setLoaded({ detail, state });
      over.current = isUnfinishedStatus(detail.summary.status) ? "" : which;
      if (isActive(detail.summary.status))
        timer = setTimeout(() => setAgain((n) => n + 1), FOLLOW_INTERVAL_MS);
    };
    read().catch((error: unknown) => wanted && setFailure(errorMessage(error)));
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [runId, status, isReached, again]);
  const current = loaded !== null && loaded.detail.summary.runId === runId ? loaded : null;
  const state = current?.state ?? null;
  const need = useCallback(
    (loopPath: string, numbers: readonly number[]) => {
      const loop = state && loopAt(state, loopPath);
      const lacking = numbers.filter((n) => loop?.iterations[n - 1]?.unread);
      const first = lacking[0];
      const last = lacking.at(-1);
      if (runId === null || first === undefined || last === undefined) return;
      const key = `${loopPath}|${first}|${last}`;
      if (asked.current.has(key)) return;
      asked.current.add(key);
      api()
        .iterationEvents(runId, loopPath, first - 1, last - first + 1)
        .then(
          (events) =>
            setLoaded((l) =>
              l?.detail.summary.runId === runId ? { ...l, state: graftEvents(l.state, loopPath, events) } : l,
            ),
          (error) => setFailure(errorMessage(error)),
        );
    },
    [runId, state],
  );
  return { detail: current?.detail ?? null, state, failure, need };
}
