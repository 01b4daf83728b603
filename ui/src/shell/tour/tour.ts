// The tour of one loop for new users: its steps, the current step, and whether it was seen.
import { create } from "zustand";
import { runCommand } from "../../commands/run";
import { useAnalysis } from "../../document/analysis";
import { useDocument } from "../../document/document";
import { openTemplate } from "../../document/files";
import { useKinds } from "../../document/kinds";
import { api, errorMessage } from "../../ipc/client";
import type { TemplateInfo } from "../../ipc/generated/bindings";
import { defaultProvider, useProviders } from "../../runs/inputs/providers";
import { isUnfinished, shownRun, useRuns } from "../../runs/session/store";
import { useInspectorView } from "../../session/inspector-view";
import { useSession } from "../../session/session";
import { showTab, tabOfCopy } from "../../tabs/tabs";
import { testIds } from "../../testids";

const SEEN_KEY = "loopwright.tourSeen";

export interface TourStep {
  title: string;
  /** The text of the step; a function if the text depends on the current settings. */
  text: string | (() => string);
  /** Returns the element that the step explains; null if it is not on the page. */
  anchor: () => Element | null;
  /** Replaces the label of the button that continues, and adds an action to it. */
  next?: { label: string; run: () => unknown };
}

const byTestId = (id: string) => document.querySelector(`[data-testid="${id}"]`);

/** Returns the first loop of the open flow. */
const region = () => useAnalysis.getState().analysis.regions[0];

/**
 * Returns the label of the feedback wire. The label stands for the whole loop, since it is the part that is
 * easiest to see.
 */
const feedbackLabel = () => byTestId(testIds.wireLabel);

/** Starts the run of the tour, at most once, so that going back and forth costs nothing more. */
async function runIt(): Promise<void> {
  const before = shownRun(useRuns.getState());
  if (useTour.getState().ran || isUnfinished(before)) return;
  await runCommand.run();
  // The run may have been refused, or the user may have declined it because of its cost.
  useTour.setState({ ran: shownRun(useRuns.getState()) !== before });
}

/** Opens the comparison of a node's output with the previous iteration. */
function showChange(): void {
  const first = region()?.core.find((id) => {
    const node = useDocument.getState().document.nodes.find((one) => one.id === id);
    return useKinds.getState().byType.get(node?.type ?? "")?.category === "ai";
  });
  const shown = first ?? region()?.body[0];
  if (shown === undefined) return;
  useSession.getState().select([shown]);
  useInspectorView.setState({ tab: "output", compare: "previous" });
}

export const TOUR: readonly TourStep[] = [
  {
    title: "This is a loop",
    text: "The nodes inside the violet outline run again and again. The Loop node sets how often they may run and what ends the loop.",
    anchor: () => byTestId(testIds.node(region()?.start ?? "")),
  },
  {
    title: "The way back",
    text: "The dashed wire carries the result of one iteration to the next. Nothing else in a workflow goes backwards.",
    anchor: () => feedbackLabel() ?? byTestId(testIds.node(region()?.start ?? "")),
  },
  {
    title: "The way out",
    text: "When the loop is done, its result leaves through Exit. A loop without one cannot run, and Loopwright offers to add it.",
    anchor: () => byTestId(testIds.node(region()?.end ?? "")),
  },
  {
    title: "Run it",
    text: () => {
      const provider = defaultProvider(useProviders.getState());
      const asks =
        !provider || provider.id === "builtin"
          ? "the built-in models: no key, no network."
          : `${provider.name}, which may charge for its calls.`;
      return `Before a run, you see its maximum cost. This one uses ${asks}`;
    },
    // The ring also encloses the cost of a run, next to the button.
    anchor: () => byTestId(testIds.runBox),
    next: { label: "Run and continue", run: runIt },
  },
  {
    title: "Go back in time",
    text: "Each iteration is a segment of the timeline. Choose one, or press [ and ]: the canvas and the panel show that iteration.",
    anchor: () => document.querySelector('[data-region="dock"]'),
    next: { label: "Next", run: showChange },
  },
  {
    title: "See what changed",
    text: "The panel shows the output of a node, and word by word how it differs from the previous iteration. That is the end of the tour. You can now change this workflow.",
    anchor: () => document.querySelector('[data-region="side"]'),
  },
];

/**
 * The state of the tour: the current step (null while no tour is shown), whether this tour has run the loop,
 * and whether the tour was offered before.
 */
export const useTour = create<{ step: number | null; ran: boolean; seen: boolean }>()(() => ({
  step: null,
  ran: false,
  seen: localStorage.getItem(SEEN_KEY) !== null,
}));

export function endTour(): void {
  localStorage.setItem(SEEN_KEY, "1");
  useTour.setState({ step: null, seen: true });
}

export async function moveBy(by: 1 | -1): Promise<void> {
  const { step } = useTour.getState();
  if (step === null) return;
  if (by === 1) await TOUR[step]?.next?.run();
  const next = step + by;
  if (next >= TOUR.length) endTour();
  else if (next >= 0) useTour.setState({ step: next });
}

async function showTemplate(template: TemplateInfo): Promise<void> {
  const open = tabOfCopy(template.document);
  if (open === null) {
    await openTemplate(template);
    return;
  }
  showTab(open);
  const session = useSession.getState();
  session.select([]);
  session.setLayout("edit");
  session.show("editor");
}

/**
 * Starts the tour in the first built-in template: in a tab with an unchanged copy if one is open, otherwise
 * in a new tab.
 */
export async function startTour(): Promise<void> {
  try {
    const [template] = await api().templates();
    if (!template) return;
    await showTemplate(template);
    localStorage.setItem(SEEN_KEY, "1");
    useTour.setState({ step: 0, ran: false, seen: true });
  } catch (error) {
    useSession
      .getState()
      .toast({ tone: "error", title: "The tour cannot start", detail: errorMessage(error) });
  }
}
