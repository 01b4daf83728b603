// The pages of the window, and the properties of each page that the window's frame uses. One page is shown at
// a time.
import type { IconName } from "../components/Icon";
import type { View } from "../session/session";
import { testIds } from "../testids";

/** A page available in the top bar. */
interface Choice {
  label: string;
  icon: IconName;
  tip: string;
  /** The command that shows the page. */
  command: string;
  testId: string;
}

interface Page {
  /** The page's entry in the top bar; null if the page has its own bar. */
  choice: Choice | null;
  /** Whether the page is about the open workflows, so that their tabs are shown. */
  hasTabs: boolean;
}

export const PAGES: Record<View, Page> = {
  gallery: { choice: null, hasTabs: false },
  editor: {
    choice: {
      label: "Edit",
      icon: "workflow",
      tip: "Edit the workflow",
      command: "window.edit",
      testId: testIds.viewEdit,
    },
    hasTabs: true,
  },
  runs: {
    choice: {
      label: "Runs",
      icon: "history",
      tip: "Earlier runs",
      command: "window.runs",
      testId: testIds.viewRuns,
    },
    hasTabs: true,
  },
  evaluate: {
    choice: {
      label: "Evaluate",
      icon: "flask",
      tip: "Run it on many cases and score the results",
      command: "window.evaluate",
      testId: testIds.viewEvaluate,
    },
    hasTabs: true,
  },
  costs: {
    choice: {
      label: "Costs",
      icon: "coins",
      tip: "Costs of runs by day, workflow, model and node",
      command: "window.costs",
      testId: testIds.viewCosts,
    },
    hasTabs: false,
  },
  // The number of open questions in the status bar leads to this page.
  waiting: { choice: null, hasTabs: false },
  settings: { choice: null, hasTabs: false },
};

/** The pages of the top bar, in order. */
export const CHOICES = (Object.entries(PAGES) as [View, Page][]).flatMap(([view, { choice }]) =>
  choice === null ? [] : [{ view, ...choice }],
);
