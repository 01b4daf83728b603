// Which loops are folded into one node. It is how a flow is looked at, and no part of it: never saved, never undone.
import { create } from "zustand";

interface FoldsState {
  /** Of the active tab: ids of the nodes that open the loops, by the breadcrumbs of the flow that they stand in. */
  folded: ReadonlySet<string>;
  toggle(key: string): void;
}

export const foldKey = (breadcrumbs: readonly string[], start: string): string =>
  [...breadcrumbs, start].join("/");

export const useFoldedLoops = create<FoldsState>()((set) => ({
  folded: new Set(),
  toggle: (key) =>
    set((s) => {
      const folded = new Set(s.folded);
      if (!folded.delete(key)) folded.add(key);
      return { folded };
    }),
}));
