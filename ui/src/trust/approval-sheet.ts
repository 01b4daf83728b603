// The question of the run in front that the sheet shows in place of the inspector. The sheet opens
// automatically once for each question; afterwards the user opens it.
import { create } from "zustand";
import { parsePath } from "../runs/fold/path";
import { shownRun, useRuns } from "../runs/session/store";
import { useSession } from "../session/session";
import { testIds } from "../testids";

/** A question, identified by its run and the path of the waiting step. */
export type Question = { readonly runId: string; readonly path: string };

type SheetState = {
  readonly open: Question | null;
  /** The waiting questions for which the sheet has already opened. */
  readonly seen: ReadonlySet<string>;
};

export const useApprovalSheet = create<SheetState>()(() => ({ open: null, seen: new Set() }));

const keyOf = ({ runId, path }: Question): string => `${runId}|${path}`;

/** Returns the questions of the run in front, longest waiting first. */
export function questions(s: Parameters<typeof shownRun>[0] = useRuns.getState()): readonly Question[] {
  const state = shownRun(s)?.state;
  return state?.waiting.map((path) => ({ runId: state.runId, path })) ?? [];
}

export function openApproval(question: Question): void {
  useApprovalSheet.setState(({ seen }) => ({ open: question, seen: new Set([...seen, keyOf(question)]) }));
  // In a narrow window the panel may be closed.
  if (!useSession.getState().sideOpen) useSession.getState().patch({ sideOpen: true });
}

export function closeApproval(): void {
  if (useApprovalSheet.getState().open !== null) useApprovalSheet.setState({ open: null });
}

const IN_HAND = 'input, textarea, [contenteditable="true"], [role="menu"], [role="listbox"]';

/**
 * Returns whether the user is busy with something that an opening sheet would interrupt: typing, dragging,
 * another question.
 */
function isBusy(): boolean {
  const { dragging, commandList, shortcuts } = useSession.getState();
  if (dragging || commandList || shortcuts) return true;
  const focused = document.activeElement;
  return (
    document.querySelector("dialog[open]") !== null ||
    (focused?.closest(`[data-testid="${testIds.approvalSheet}"]`) == null &&
      focused?.closest(IN_HAND) != null)
  );
}

/**
 * Updates the sheet: closes it if its question was answered elsewhere, and opens it for a new question. It
 * opens automatically only next to a run's canvas, and never while the user is busy. `Waiting` in the top bar
 * opens it at any time.
 */
export function updateApprovalSheet(): void {
  const asked = questions();
  const keys = new Set(asked.map(keyOf));
  const { open, seen } = useApprovalSheet.getState();
  if ([...seen].some((key) => !keys.has(key)))
    useApprovalSheet.setState({ seen: new Set([...seen].filter((key) => keys.has(key))) });
  if (open !== null && !keys.has(keyOf(open))) closeApproval();
  const { view, layout } = useSession.getState();
  if (view !== "editor" || layout !== "run") {
    closeApproval();
    return;
  }
  const next = asked.find((question) => !useApprovalSheet.getState().seen.has(keyOf(question)));
  if (useApprovalSheet.getState().open === null && next !== undefined && !isBusy()) openApproval(next);
}

// A user who selects another node wants to see that node, perhaps to understand the question, so the sheet
// closes.
useSession.subscribe((s, before) => {
  const { open } = useApprovalSheet.getState();
  if (s.selection === before.selection || open === null) return;
  const [selected, ...more] = s.selection.nodes;
  const isAsking = parsePath(open.path).some(({ id }) => id === selected);
  if (selected !== undefined && more.length === 0 && !isAsking) closeApproval();
});
