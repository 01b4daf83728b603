// The open flows, one per tab. The content of the active tab is in the stores of the window. The content of
// an inactive tab is kept in the tab itself: documents with their history, the selection, the layout and the
// position on the canvas.
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

/** The state of an inactive tab. */
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
  /** The folded loops of the tab. */
  folded: ReadonlySet<string>;
  analysis: { analysis: Analysis; whole: Analysis; unknownNames: UnknownNames } | null;
  /** The part of the canvas that was visible; null to fit the whole flow. */
  viewport: Viewport | null;
  /** The problems that the user has asked to see; null if the tab was never shown. */
  asked: AskedProblems | null;
}

export interface Tab {
  readonly id: string;
  /** The state of the tab while it is inactive; null while it is active. */
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

/** Returns the state of a tab that was never active. */
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
  // Opening the document has reset the problems that the user asked to see. They are restored here.
  if (inactive.asked !== null) useAsked.setState(inactive.asked);
  useChosenIteration.setState({ chosen });
  useTimelineLoop.setState({ picked });
  useFoldedLoops.setState({ folded });
  useRuns.getState().activate(id);
  // The previous analysis is valid until the newly requested one arrives.
  if (analysis) useAnalysis.setState(analysis);
}

/** Brings a tab to the front. */
export function showTab(id: string): void {
  const { tabs, active } = useTabs.getState();
  const next = tabs.find((tab) => tab.id === id)?.inactive;
  if (id === active || !next) return;
  // The runs are stored first, because a change of document clears those of the active tab.
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

/** Returns whether the active tab is untouched: nothing was created or opened in it. */
function untouched(): boolean {
  const { path, root, history, suspended, parents } = useDocument.getState();
  const none = root.nodes.length === 0 && history.done.length === 0 && history.undone.length === 0;
  return path === null && none && suspended === null && parents.length === 0;
}

/** Opens a document in a new background tab. Returns the tab's id. */
export function addTab(opened: Opened): string {
  const id = newId();
  useTabs.setState((s) => ({ tabs: [...s.tabs, { id, inactive: unseen(inHandOfOpened(opened)) }] }));
  return id;
}

/** Opens a document in a new tab and activates it. If the active tab is unused, opens it there instead. */
export function openInTab(opened: Opened): void {
  if (!untouched()) {
    showTab(addTab(opened));
    return;
  }
  useSession.getState().select([]);
  useSession.getState().setLayout("edit");
  useDocument.getState().open(opened);
}

/** Closes a tab without confirmation. If it was the last one, an empty tab takes its place. */
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

/** Moves a tab to index `to`, counted from 0. */
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

/**
 * Returns the id of the next (`step` 1) or previous (−1) tab, wrapping around. With a single tab, returns
 * that tab.
 */
export function neighbourTab(step: 1 | -1): string | null {
  const { tabs, active } = useTabs.getState();
  const at = tabs.findIndex((tab) => tab.id === active);
  return tabs[(at + step + tabs.length) % tabs.length]?.id ?? null;
}

/** Returns the open documents of a tab. Those of the active tab are in the document store. */
export const handOf = (tab: Tab): InHand => tab.inactive?.hand ?? useDocument.getState();

/**
 * Returns the id of the tab in which a file is open, also if it is edited there as a subflow of another file.
 * Null if no tab has it open.
 */
export function tabOfFile(path: string): string | null {
  const holds = (tab: Tab) => {
    const hand = handOf(tab);
    const { path: own, parents } = hand.suspended ?? hand;
    return own === path || parents.some((around) => around.path === path);
  };
  return useTabs.getState().tabs.find(holds)?.id ?? null;
}

/** Returns the id of a tab that contains this document unedited and without a file; null if there is none. */
export function tabOfCopy(document: FlowDoc): string | null {
  const text = JSON.stringify(document);
  const holds = (tab: Tab) => {
    const { path, root, parents, suspended } = handOf(tab);
    return path === null && parents.length === 0 && suspended === null && JSON.stringify(root) === text;
  };
  return useTabs.getState().tabs.find(holds)?.id ?? null;
}
