// The overlays of the canvas: the context menu, and one panel at a time.
import { create } from "zustand";
import type { Point } from "../kernels/geometry";

export type CanvasPanel = "find" | "history";

interface CanvasPanelsState {
  open: CanvasPanel | null;
  /**
   * Where the menu is (in client pixels), and what it applies to: a node, a wire, a group, or the canvas
   * itself. Null while it is closed.
   */
  menu: { at: Point; on: MenuTarget } | null;
  /** The id of the node whose name is being edited; null if none is. */
  renaming: string | null;
  show(panel: CanvasPanel | null): void;
  toggle(panel: CanvasPanel): void;
  openMenu(at: Point, on: MenuTarget): void;
  closeMenu(): void;
  rename(node: string | null): void;
}

export type MenuTarget =
  | { kind: "canvas" }
  | { kind: "node"; id: string }
  | { kind: "wire"; id: string }
  | { kind: "group"; id: string };

export const useCanvasPanels = create<CanvasPanelsState>()((set) => ({
  open: null,
  menu: null,
  renaming: null,
  show: (open) => set({ open, menu: null }),
  toggle: (panel) => set((s) => ({ open: s.open === panel ? null : panel, menu: null })),
  openMenu: (at, on) => set({ menu: { at, on } }),
  closeMenu: () => set({ menu: null }),
  rename: (renaming) => set({ renaming, menu: null }),
}));
