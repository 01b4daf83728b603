// Goes to a step that waits for a person: selects the node and shows its question in the sheet. Repeating the
// command goes to the next step.
import { parsePath } from "../runs/fold/path";
import { shownRun, useRuns } from "../runs/session/store";
import { useSession } from "../session/session";
import { openApproval } from "../trust/approval-sheet";
import type { Command } from "./command";
import { showStep } from "./show-step";

/** Returns the paths of the waiting steps, longest waiting first. */
const waiting = (): readonly string[] => shownRun(useRuns.getState())?.state.waiting ?? [];

/**
 * Returns the path of the waiting step after the one whose node is selected, or of the first one if no such
 * node is selected. Undefined if no step waits.
 */
function nextToReview(): string | undefined {
  const paths = waiting();
  const { nodes } = useSession.getState().selection;
  const at = paths.findIndex((path) => nodes.size === 1 && nodes.has(parsePath(path).at(-1)?.id ?? ""));
  return paths[(at + 1) % paths.length];
}

export const reviewCommand: Command = {
  id: "run.review",
  label: "Show what waits for you",
  icon: "circle-pause",
  scope: "window",
  possible: () => waiting().length > 0,
  run: async () => {
    const path = nextToReview();
    if (path === undefined) return;
    const { layout, show, setLayout, patch } = useSession.getState();
    show("editor");
    if (layout !== "run") setLayout("run");
    patch({ sideOpen: true });
    await showStep(path);
    const runId = shownRun(useRuns.getState())?.state.runId;
    if (runId !== undefined) openApproval({ runId, path });
  },
};
