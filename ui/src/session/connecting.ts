// The wire being drawn, the node being dragged in, and what a bad drop has to say.
import { create } from "zustand";
import type { HandleInfo } from "../ipc/generated/bindings";
import type { Point } from "../kernels/geometry";

export interface WireEnd {
  node: string;
  handle: HandleInfo;
  /** Whether the handle is an output. */
  output: boolean;
}

export interface QuickAddRequest {
  /** Where the menu opens, in client pixels. */
  at: Point;
  /** The wire that asked; null when the menu was called by key or button. */
  from: WireEnd | null;
  /** Where a wire that was dropped begins, in flow coordinates. */
  begins?: Point;
  /** The edge that what is chosen is put into. */
  into?: string;
}

interface ConnectingState {
  from: WireEnd | null;
  quickAdd: QuickAddRequest | null;
  /** The node whose sockets are being connected by keyboard. */
  connectFrom: string | null;
  /** Why a wire sprang back, shown for a moment where it was dropped. */
  refusal: { at: Point; from: Point; text: string } | null;
  start(from: WireEnd): void;
  end(): void;
  askConnect(node: string | null): void;
  openQuickAdd(request: QuickAddRequest): void;
  closeQuickAdd(): void;
  refuse(refusal: { at: Point; from: Point; text: string }): void;
  clearRefusal(): void;
}

export const useConnecting = create<ConnectingState>()((set) => ({
  from: null,
  quickAdd: null,
  connectFrom: null,
  refusal: null,
  start: (from) => set({ from, refusal: null, quickAdd: null }),
  end: () => set({ from: null }),
  askConnect: (connectFrom) => set({ connectFrom, quickAdd: null }),
  openQuickAdd: (quickAdd) => set({ quickAdd }),
  closeQuickAdd: () => set({ quickAdd: null }),
  refuse: (refusal) => set({ refusal }),
  clearRefusal: () => set({ refusal: null }),
}));
