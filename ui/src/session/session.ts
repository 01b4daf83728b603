// The state of the window and the selection. Never saved in a file, never undone.
import { create } from "zustand";

export type View = "gallery" | "editor" | "runs" | "evaluate" | "costs" | "waiting" | "settings";
/** The editor's frame: palette and settings, or inspector and dock. */
export type Layout = "edit" | "run";
export type DockTab = "timeline" | "problems" | "log";
export type Tool = "select" | "pan";

export interface Selection {
  nodes: ReadonlySet<string>;
  edges: ReadonlySet<string>;
}

export interface Toast {
  id: number;
  tone: "info" | "ok" | "warn" | "error";
  title: string;
  detail?: string;
  /**
   * Whether the message stays until the user dismisses it, as errors do. Other messages disappear after a few
   * seconds.
   */
  stays: boolean;
  actions: { label: string; run: () => void }[];
  /** The interrupted run that the message offers to resume, if it offers one. */
  runId?: string;
}

interface SessionState {
  view: View;
  layout: Layout;
  selection: Selection;
  tool: Tool;
  paletteOpen: boolean;
  /**
   * Whether a narrow window shows the side panel, which overlays the canvas there. A wide window always shows
   * the panel.
   */
  sideOpen: boolean;
  dockOpen: boolean;
  /** Whether an open dock shows only its header; null until the user has opened or closed it. */
  dockCollapsed: boolean | null;
  dockTab: DockTab;
  dockHeight: number;
  sideWidth: number;
  minimap: boolean;
  /** The action of the mouse wheel on the canvas. With Ctrl it always zooms. */
  wheel: Wheel;
  /** Whether animations run: as the system prefers, or never. */
  motion: Motion;
  /** The contrast of text and borders: as the system prefers, or more. */
  contrast: Contrast;
  /** The field to bring into view in the settings form, as `<nodeId>.<field>`. */
  focusField: string | null;
  toasts: Toast[];
  /** Whether nodes are being dragged. */
  dragging: boolean;
  /** Whether the command palette is open. */
  commandList: boolean;
  /** Whether the keyboard shortcut sheet is open. */
  shortcuts: boolean;
  show(view: View): void;
  setLayout(layout: Layout): void;
  select(nodes: Iterable<string>, edges?: Iterable<string>): void;
  openDock(tab: DockTab): void;
  patch(
    change: Partial<
      Pick<
        SessionState,
        | "tool"
        | "paletteOpen"
        | "sideOpen"
        | "dockOpen"
        | "dockCollapsed"
        | "dockTab"
        | "dockHeight"
        | "sideWidth"
        | "minimap"
        | "wheel"
        | "motion"
        | "contrast"
        | "focusField"
        | "dragging"
        | "commandList"
        | "shortcuts"
      >
    >,
  ): void;
  toast(toast: Partial<Omit<Toast, "id">> & { title: string }): number;
  dismiss(id: number): void;
  /** Removes the message that offers to resume a run, because the run was resumed or discarded. */
  dismissOffer(runId: string): void;
}

export type Motion = "system" | "reduced";
export type Contrast = "system" | "more";
export type Wheel = "zoom" | "pan";

const PANELS_KEY = "loopwright.panels";

function rememberedPanels(): Partial<SessionState> {
  try {
    const saved = JSON.parse(localStorage.getItem(PANELS_KEY) ?? "{}");
    const out: Partial<SessionState> = {};
    if (typeof saved.dockHeight === "number") out.dockHeight = saved.dockHeight;
    if (typeof saved.sideWidth === "number") out.sideWidth = saved.sideWidth;
    if (typeof saved.minimap === "boolean") out.minimap = saved.minimap;
    if (saved.wheel === "pan") out.wheel = saved.wheel;
    if (saved.motion === "reduced") out.motion = saved.motion;
    if (saved.contrast === "more") out.contrast = saved.contrast;
    return out;
  } catch {
    // If the stored entry is damaged, only panel sizes are lost.
    return {};
  }
}

/**
 * The maximum width of a narrow window, in pixels. In such a window the palette would cover the canvas, so it
 * starts closed. The stylesheet has the same value.
 */
const NARROW = 1180;

const wide = () => window.innerWidth > NARROW;

let nextToast = 1;

const sameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
  a.size === b.size && [...a].every((id) => b.has(id));

export const useSession = create<SessionState>()((set, get) => ({
  view: "gallery",
  layout: "edit",
  selection: { nodes: new Set(), edges: new Set() },
  tool: "select",
  paletteOpen: wide(),
  sideOpen: wide(),
  dockOpen: false,
  dockCollapsed: null,
  dockTab: "timeline",
  dockHeight: 236,
  sideWidth: 0,
  minimap: true,
  wheel: "zoom",
  motion: "system",
  contrast: "system",
  focusField: null,
  dragging: false,
  toasts: [],
  commandList: false,
  shortcuts: false,
  ...rememberedPanels(),
  show: (view) => set({ view }),
  setLayout: (layout) =>
    set(
      layout === "run"
        ? {
            layout,
            paletteOpen: false,
            sideOpen: true,
            dockOpen: true,
            dockCollapsed: null,
            dockTab: "timeline",
          }
        : { layout, paletteOpen: wide(), sideOpen: wide(), dockOpen: false, dockCollapsed: null },
    ),
  select: (nodes, edges = []) => {
    const selection = { nodes: new Set(nodes), edges: new Set(edges) };
    const current = get().selection;
    if (sameSet(current.nodes, selection.nodes) && sameSet(current.edges, selection.edges)) return;
    set({ selection });
  },
  openDock: (dockTab) => set({ dockOpen: true, dockCollapsed: false, dockTab }),
  patch: (change) => set(change),
  toast: (toast) => {
    const id = nextToast++;
    const tone = toast.tone ?? "info";
    set((s) => ({
      toasts: [
        // A repeated message replaces its earlier copy.
        ...s.toasts.filter((t) => t.title !== toast.title || t.detail !== toast.detail),
        { actions: [], stays: tone === "error", ...toast, tone, id },
      ],
    }));
    return id;
  },
  dismiss: (id) => set((s) => ({ toasts: s.toasts.filter((t) => t.id !== id) })),
  dismissOffer: (runId) => set((s) => ({ toasts: s.toasts.filter((t) => t.runId !== runId) })),
}));

// A window that becomes narrow closes its panels, which would overlay the flow. One that becomes wide shows
// them again.
window.matchMedia?.(`(max-width: ${NARROW}px)`).addEventListener("change", ({ matches: narrow }) => {
  if (useSession.getState().layout === "edit")
    useSession.getState().patch({ paletteOpen: !narrow, sideOpen: !narrow });
});

useSession.subscribe((state, before) => {
  if (
    state.dockHeight === before.dockHeight &&
    state.sideWidth === before.sideWidth &&
    state.minimap === before.minimap &&
    state.wheel === before.wheel &&
    state.motion === before.motion &&
    state.contrast === before.contrast
  )
    return;
  const { dockHeight, sideWidth, minimap, wheel, motion, contrast } = state;
  localStorage.setItem(
    PANELS_KEY,
    JSON.stringify({ dockHeight, sideWidth, minimap, wheel, motion, contrast }),
  );
});

/**
 * Returns the id of the selected node if exactly one is selected, otherwise null. The side panel shows that
 * node.
 */
export function useSelectedNodeId(): string | null {
  return useSession((s) => (s.selection.nodes.size === 1 ? ([...s.selection.nodes][0] ?? null) : null));
}
