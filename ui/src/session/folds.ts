// The loops folded into one node. Folding only affects the view: it is never saved and never undone.
import { create } from "zustand";

interface FoldsState {
  /**
   * The keys of the folded loops in the active tab. A key consists of the breadcrumbs of the flow and the id
   * of the node that opens the loop.
   */
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
