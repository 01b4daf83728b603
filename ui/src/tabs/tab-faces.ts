// What is shown of each tab: its name, whether it is saved, and how its run stands.
import { fileName, isDirty, useDocument } from "../document/document";
import { foldersApart } from "../kernels/same-names";
import { useRuns } from "../runs/session/store";
import { markOf, type RunMark, useUnseenEnds } from "./run-marks";
import { handOf, type Tab, useTabs } from "./tabs";

export interface TabFace {
  id: string;
  title: string;
  path: string | null;
  /** Its folder, where another tab has a file of the same name. */
  folder: string | null;
  /** The whole path, or that there is none. */
  detail: string;
  dirty: boolean;
  /** How its run stands, where that is worth a mark. */
  mark: RunMark | null;
  /** A past run is looked at in it, perhaps of another flow. */
  past: boolean;
  active: boolean;
}

/** What is shown of a tab. */
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

/** Every tab as it is shown, in order. Draws its reader again only when one of them looks different. */
export function useTabFaces(): readonly TabFace[] {
  const tabs = useTabs((s) => s.tabs);
  const active = useTabs((s) => s.active);
  // The active one changes with the document; the words are all that matters.
  useDocument((s) => `${isDirty(s)} ${s.path} ${s.root.name} ${s.parents.length} ${s.suspended === null}`);
  const { ends } = useUnseenEnds();
  // A text, so that the strip is drawn again only when a mark changed.
  const marks = useRuns((s) =>
    tabs.map((tab) => markOf(tab.id === active ? s : s.background[tab.id], ends) ?? "").join(),
  ).split(",");
  const faces = tabs.map((tab, i) => faceOf(tab, active, (marks[i] || null) as RunMark | null));
  const folders = foldersApart(faces.map((face) => face.path));
  return faces.map((face, i) => ({ ...face, folder: folders[i] ?? null }));
}
