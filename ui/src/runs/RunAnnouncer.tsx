// The window's one polite live region: iteration changes, exits and ends, never tokens.
import { useEffect, useState } from "react";
import type { RunStatus } from "../ipc/generated/bindings";
import { EXIT_MEANING } from "./format";
import type { RunState } from "./model";
import { labelOf } from "./shown";
import { useRuns } from "./store";

const ENDED: Partial<Record<RunStatus, string>> = {
  completed: "Run finished.",
  failed: "Run failed.",
  cancelled: "Run stopped.",
  interrupted: "Run interrupted.",
};

/** What to say when a live run goes from one state to the next; null when there is nothing worth saying. */
export function announcement(
  before: RunState,
  after: RunState,
  label: (id: string) => string,
): string | null {
  if (after.status !== before.status && after.status !== "running") {
    const end = ENDED[after.status];
    if (end) return after.error ? `${end} ${after.error.message}` : end;
    if (after.status === "waiting") return "The run waits for a person.";
  }
  for (const id of after.loopIds) {
    const now = after.root.steps[id]?.loop;
    const was = before.root.steps[id]?.loop;
    if (!now) continue;
    if (now.exitReason !== null && was?.exitReason !== now.exitReason) {
      return `${label(id)} ended after ${now.iterationsRun ?? now.current} iterations. ${EXIT_MEANING[now.exitReason]}`;
    }
    if (now.current !== (was?.current ?? 0)) {
      return `${label(id)}, iteration ${now.current}${now.total === null ? "" : ` of ${now.total}`}.`;
    }
  }
  return null;
}

export function RunAnnouncer() {
  const [text, setText] = useState("");
  useEffect(
    () =>
      useRuns.subscribe((s, old) => {
        if (!s.live || !old.live || s.live.state === old.live.state) return;
        const { document } = s.live;
        const next = announcement(old.live.state, s.live.state, (id) => labelOf(document, id));
        if (next !== null) setText(next);
      }),
    [],
  );
  return (
    <div className="visually-hidden" role="status" aria-live="polite" data-testid="announcer">
      {text}
    </div>
  );
}
