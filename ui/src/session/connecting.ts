// The wire being drawn, the node being dragged in, and the reason a drop was refused.
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
  /** The position of the quick-add menu, in client pixels. */
  at: Point;
  /** The end of the wire that opened the menu; null if a key or button opened it. */
  from: WireEnd | null;
  /** The start of a dropped wire, in flow coordinates. */
  begins?: Point;
  /** The id of the edge into which the chosen node is inserted. */
  into?: string;
}

interface ConnectingState {
  from: WireEnd | null;
  quickAdd: QuickAddRequest | null;
  /** The node whose sockets the user is connecting by keyboard. */
  connectFrom: string | null;
  /** Why a wire was refused. Shown briefly where the wire was dropped. */
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
