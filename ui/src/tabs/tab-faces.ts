// The displayed properties of tabs: the name, whether the tab is saved, and the state of its run.
import { fileName, isDirty, useDocument } from "../document/document";
import { foldersApart } from "../kernels/same-names";
import { useRuns } from "../runs/session/store";
import { markOf, type RunMark, useUnseenEnds } from "./run-marks";
import { handOf, type Tab, useTabs } from "./tabs";

export interface TabFace {
  id: string;
  title: string;
  path: string | null;
  /** The folder of the file, if another tab has a file of the same name; otherwise null. */
  folder: string | null;
  /** The full path, or a note that the tab has no file. */
  detail: string;
  dirty: boolean;
  /** The mark of the tab's run; null if there is none. */
  mark: RunMark | null;
  /** Whether the tab shows a past run, possibly of another flow. */
  past: boolean;
  active: boolean;
}

/** Returns the displayed properties of a tab. */
export function faceOf(tab: Tab, active: string, mark: RunMark | null): TabFace {
  const hand = handOf(tab);
  const [outermost] = (hand.suspended ?? hand).parents;
  const { path, root } = outermost ?? hand.suspended ?? hand;
  return {
    id: tab.id,
    title: fileName(path, root.name),
    path,
    folder: null,
    detail: path ?? "Not saved to a file yet",
    dirty: isDirty(hand),
    mark,
    past: hand.suspended !== null,
    active: tab.id === active,
  };
}

/**
 * Returns all tabs as displayed, in order. The component re-renders only when one of them looks different.
 */
export function useTabFaces(): readonly TabFace[] {
  const tabs = useTabs((s) => s.tabs);
  const active = useTabs((s) => s.active);
  // The displayed properties of the active tab come from the document. Only those in this string matter.
  useDocument((s) => `${isDirty(s)} ${s.path} ${s.root.name} ${s.parents.length} ${s.suspended === null}`);
  const { ends } = useUnseenEnds();
  // The selector returns a string, so that the strip re-renders only when a mark changes.
  const marks = useRuns((s) =>
    tabs.map((tab) => markOf(tab.id === active ? s : s.background[tab.id], ends) ?? "").join(),
  ).split(",");
  const faces = tabs.map((tab, i) => faceOf(tab, active, (marks[i] || null) as RunMark | null));
  const folders = foldersApart(faces.map((face) => face.path));
  return faces.map((face, i) => ({ ...face, folder: folders[i] ?? null }));
}
