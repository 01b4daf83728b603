// The question of the shown run that the sheet shows in place of the inspector. The sheet opens automatically
// once for each question. Afterwards only the user opens it.
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

/** Returns the questions of the shown run, longest waiting first. */
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
 * Returns whether an opening sheet would interrupt the user, who is typing or dragging, or has a dialog, menu
 * or list open.
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
 * Updates the sheet. Closes it if its question is no longer open, or if the page or layout does not show a
 * run. Opens it for a new question, but never while the user is busy.
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

// Selecting another node closes the sheet, because the user wants to see that node, perhaps to understand the
// question.
useSession.subscribe((s, before) => {
  const { open } = useApprovalSheet.getState();
  if (s.selection === before.selection || open === null) return;
  const [selected, ...more] = s.selection.nodes;
  const isAsking = parsePath(open.path).some(({ id }) => id === selected);
  if (selected !== undefined && more.length === 0 && !isAsking) closeApproval();
});
