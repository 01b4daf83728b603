// The run inspector's view of a node: the selected tab, the comparison of the output, and the format of
// values. This view is kept when another node is selected.
import { create } from "zustand";

export const TABS = ["changes", "input", "output", "transcript", "prompt", "raw", "events"] as const;
export type InspectorTab = (typeof TABS)[number];

/**
 * Returns the tabs of a step. Only agents have a transcript. A loop with a workspace has a tab for the
 * changed files, and no tab for a prompt.
 */
export const tabsOf = ({ transcript, files }: { transcript: boolean; files: boolean }) =>
  TABS.filter(
    (tab) =>
      (tab !== "transcript" || transcript) && (tab !== "changes" || files) && (tab !== "prompt" || !files),
  );

/** The display format of a value that can be shown in more than one way. */
export type ValueForm = "text" | "markdown" | "json";
export type Compare = "plain" | "previous" | "first";

type InspectorState = {
  readonly tab: InspectorTab;
  readonly compare: Compare;
  readonly form: ValueForm;
  setTab(tab: InspectorTab): void;
  setCompare(compare: Compare): void;
  setForm(form: ValueForm): void;
  /** Switches between the plain output and its differences from the previous iteration. */
  toggleDiff(): void;
};

export const useInspectorView = create<InspectorState>()((set) => ({
  tab: "output",
  compare: "plain",
  form: "text",
  setTab: (tab) => set({ tab }),
  setCompare: (compare) => set({ compare }),
  setForm: (form) => set({ form }),
  toggleDiff: () => set((s) => ({ tab: "output", compare: s.compare === "plain" ? "previous" : "plain" })),
}));
