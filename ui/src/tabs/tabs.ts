// The flows that are open, one a tab. The stores of the window hold the active tab; an inactive tab keeps what was
// in them: its documents with their history, its selection and frame, its runs, its place on the canvas.
import { create } from "zustand";
import { useAnalysis } from "../document/analysis";
import { type InHand, inHandOfOpened, nothingInHand, type Opened, useDocument } from "../document/document";
import { type AskedProblems, useAsked } from "../document/quiet";
import type { UnknownNames } from "../document/unknown-names";
import type { Analysis, FlowDoc } from "../ipc/generated/bindings";
import { useRuns } from "../runs/session/store";
import { useTimelineLoop } from "../runs/view/cursor";
import { canvasView, type Viewport } from "../session/canvas-view";
import { type Chosen, useChosenIteration } from "../session/chosen-iteration";
import { useConnecting } from "../session/connecting";
import { previewFix } from "../session/fix-preview";
import { useFoldedLoops } from "../session/folds";
import { useProblemCursor } from "../session/problem-cursor";
import { type DockTab, type Layout, type Selection, useSession } from "../session/session";

/** What a tab keeps while it is inactive. */
interface InactiveTab {
  hand: InHand;
  selection: Selection;
  layout: Layout;
  paletteOpen: boolean | null;
  dockOpen: boolean;
  dockCollapsed: boolean | null;
  dockTab: DockTab;
  chosen: Record<string, Chosen>;
  picked: string | null;
  /** What is folded, in how it is looked at. */
  folded: ReadonlySet<string>;
  analysis: { analysis: Analysis; whole: Analysis; unknownNames: UnknownNames } | null;
  /** Null: the flow is shown whole. */
  viewport: Viewport | null;
  /** Of which problems somebody asked; null: nobody has looked at it. */
  asked: AskedProblems | null;
}

export interface Tab {
  readonly id: string;
  /** Null while it is active. */
  readonly inactive: InactiveTab | null;
}

interface TabsState {
  readonly tabs: readonly Tab[];
  /** The id of the active tab. */
  readonly active: string;
}

let made = 0;
const newId = () => `${Date.now().toString(36)}-${++made}`;

const first = newId();

export const useTabs = create<TabsState>()(() => ({ tabs: [{ id: first, inactive: null }], active: first }));

/** A tab that was never active. */
const unseen = (hand: InHand): InactiveTab => ({
  hand,
  selection: { nodes: new Set(), edges: new Set() },
  layout: "edit",
  paletteOpen: null,
  dockOpen: false,
  dockCollapsed: null,
  dockTab: "timeline",
  chosen: {},
  picked: null,
  folded: new Set(),
  analysis: null,
  viewport: null,
  asked: null,
});

function deactivateTab(id: string, hand: InHand): InactiveTab {
  const { selection, layout, paletteOpen, dockOpen, dockCollapsed, dockTab } = useSession.getState();
  const { analysis, whole, unknownNames, stale } = useAnalysis.getState();
  const inactive: InactiveTab = {
    hand,
    selection,
    layout,
    paletteOpen,
    dockOpen,
    dockCollapsed,
    dockTab,
    chosen: useChosenIteration.getState().chosen,
    picked: useTimelineLoop.getState().picked,
    folded: useFoldedLoops.getState().folded,
    analysis: stale ? null : { analysis, whole, unknownNames },
    viewport: canvasView()?.viewport() ?? null,
    asked: useAsked.getState(),
  };
  useRuns.getState().deactivate(id);
  return inactive;
}

function activateTab(id: string, inactive: InactiveTab): void {
  const { selection, layout, dockOpen, dockCollapsed, dockTab, chosen, picked, folded, analysis } = inactive;
  useConnecting.setState({ from: null, quickAdd: null, connectFrom: null, refusal: null });
  useProblemCursor.setState({ index: -1 });
  previewFix(null);
  useSession.getState().setLayout(layout);
  useSession.setState({ selection, dockOpen, dockCollapsed, dockTab, focusField: null });
  if (inactive.paletteOpen !== null) useSession.getState().patch({ paletteOpen: inactive.paletteOpen });
  // The document that came in front has just been taken for one that was opened.
  if (inactive.asked !== null) useAsked.setState(inactive.asked);
  useChosenIteration.setState({ chosen });
  useTimelineLoop.setState({ picked });
  useFoldedLoops.setState({ folded });
  useRuns.getState().activate(id);
  // What was known of it holds until the answer to the question that its coming has asked.
  if (analysis) useAnalysis.setState(analysis);
}

/** Brings a tab to the front. */
export function showTab(id: string): void {
  const { tabs, active } = useTabs.getState();
  const next = tabs.find((tab) => tab.id === id)?.inactive;
  if (id === active || !next) return;
  // Runs go first: a change of the document forgets the runs of the active tab.
  const away = deactivateTab(active, useDocument.getState());
  if (next.viewport) canvasView()?.keepViewport(next.viewport);
  const hand = useDocument.getState().exchange(next.hand);
  useTabs.setState({
    active: id,
    tabs: tabs.map((tab) =>
      tab.id === active
        ? { id: active, inactive: { ...away, hand } }
        : tab.id === id
          ? { id, inactive: null }
          : tab,
    ),
  });
  activateTab(id, next);
}

/** Whether the active tab holds nothing that anybody made or opened. */
function untouched(): boolean {
  const { path, root, history, suspended, parents } = useDocument.getState();
  const none = root.nodes.length === 0 && history.done.length === 0 && history.undone.length === 0;
  return path === null && none && suspended === null && parents.length === 0;
}

/** Opens a document in a tab of its own, behind the others; gives the tab's id. */
export function addTab(opened: Opened): string {
  const id = newId();
  useTabs.setState((s) => ({ tabs: [...s.tabs, { id, inactive: unseen(inHandOfOpened(opened)) }] }));
  return id;
}

/** Opens a document and activates its tab: a new one, or the active one where that holds nothing. */
export function openInTab(opened: Opened): void {
  if (!untouched()) {
    showTab(addTab(opened));
    return;
  }
  useSession.getState().select([]);
  useSession.getState().setLayout("edit");
  useDocument.getState().open(opened);
}

/** Takes a tab away, without a question. The last one leaves an empty one behind it. */
export function dropTab(id: string): void {
  const { tabs, active } = useTabs.getState();
  const at = tabs.findIndex((tab) => tab.id === id);
  if (at < 0) return;
  if (id === active) {
    const neighbour = tabs[at + 1] ?? tabs[at - 1];
    showTab(neighbour?.id ?? addTab({ document: nothingInHand().root, path: null, version: null }));
  }
  useRuns.getState().forget(id);
  useTabs.setState((s) => ({ tabs: s.tabs.filter((tab) => tab.id !== id) }));
}

/** Puts a tab before the one that stands at `to` now, counted from 0. */
export function moveTab(id: string, to: number): void {
  useTabs.setState((s) => {
    const from = s.tabs.findIndex((tab) => tab.id === id);
    const moved = s.tabs[from];
    const target = Math.max(0, Math.min(to, s.tabs.length - 1));
    if (!moved || from === target) return s;
    const tabs = s.tabs.filter((tab) => tab !== moved);
    tabs.splice(target, 0, moved);
    return { tabs };
  });
}

/** The tab that stands `step` after the active one, around the end. */
export function neighbourTab(step: 1 | -1): string | null {
  const { tabs, active } = useTabs.getState();
  const at = tabs.findIndex((tab) => tab.id === active);
  return tabs[(at + step + tabs.length) % tabs.length]?.id ?? null;
}

/** What is in hand in a tab: in the stores for the active one. */
export const handOf = (tab: Tab): InHand => tab.inactive?.hand ?? useDocument.getState();

/** The tab in which a file is open, also one that is edited as a subflow of another. */
export function tabOfFile(path: string): string | null {
  const holds = (tab: Tab) => {
    const hand = handOf(tab);
    const { path: own, parents } = hand.suspended ?? hand;
    return own === path || parents.some((around) => around.path === path);
  };
  return useTabs.getState().tabs.find(holds)?.id ?? null;
}

/** The tab that has a copy of this document which nobody has changed or saved. */
export function tabOfCopy(document: FlowDoc): string | null {
  const text = JSON.stringify(document);
  const holds = (tab: Tab) => {
    const { path, root, parents, suspended } = handOf(tab);
    return path === null && parents.length === 0 && suspended === null && JSON.stringify(root) === text;
  };
  return useTabs.getState().tabs.find(holds)?.id ?? null;
}
