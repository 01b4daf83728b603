// Which question of the run in front is shown in the place of the inspector. It opens by itself for each question once; after that it
// is opened by hand.
import { create } from "zustand";
import { parsePath } from "../runs/fold/path";
import { shownRun, useRuns } from "../runs/session/store";
import { useSession } from "../session/session";

/** A question, by its run and the path of the step that waits. */
export type Question = { readonly runId: string; readonly path: string };

type SheetState = {
  readonly open: Question | null;
  /** The questions for which it has opened, as long as they wait. */
  readonly seen: ReadonlySet<string>;
};

export const useApprovalSheet = create<SheetState>()(() => ({ open: null, seen: new Set() }));

const keyOf = ({ runId, path }: Question): string => `${runId}|${path}`;

/** What waits for a person in the run in front, in the order in which it began to. */
export function questions(s: Parameters<typeof shownRun>[0] = useRuns.getState()): readonly Question[] {
  const state = shownRun(s)?.state;
  return state?.waiting.map((path) => ({ runId: state.runId, path })) ?? [];
}

export function openApproval(question: Question): void {
  useApprovalSheet.setState(({ seen }) => ({ open: question, seen: new Set([...seen, keyOf(question)]) }));
  // In a narrow window the panel may be away.
  if (!useSession.getState().sideOpen) useSession.getState().patch({ sideOpen: true });
}

export function closeApproval(): void {
  if (useApprovalSheet.getState().open !== null) useApprovalSheet.setState({ open: null });
}

const IN_HAND = 'input, textarea, [contenteditable="true"], [role="menu"], [role="listbox"]';

/** Whether somebody is in the middle of something from which it would take the focus: typing, dragging, another question. */
function isBusy(): boolean {
  const { dragging, commandList, shortcuts } = useSession.getState();
  if (dragging || commandList || shortcuts) return true;
  const focused = document.activeElement;
  return (
    document.querySelector("dialog[open]") !== null ||
    (focused?.closest(".approval-sheet") == null && focused?.closest(IN_HAND) != null)
  );
}

/**
 * Brings the panel to what waits now: closes it on a question that was answered elsewhere, and opens it for one that is new. It
 * opens beside the canvas of the run alone, and never while somebody is busy; `Waiting` in the top bar leads there at any time.
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

// Whoever opens another node wants to see that one, perhaps to know why the first one asks.
useSession.subscribe((s, before) => {
  const { open } = useApprovalSheet.getState();
  if (s.selection === before.selection || open === null) return;
  const [selected, ...more] = s.selection.nodes;
  const isAsking = parsePath(open.path).some(({ id }) => id === selected);
  if (selected !== undefined && more.length === 0 && !isAsking) closeApproval();
});
