// Start a run. Blocked by errors it opens the problems instead: the button stays, and says what to do.
import { analyzeNow, useAnalysis } from "../document/analysis";
import { breadcrumbPath, fileName, isFileDirty, outermost, useDocument } from "../document/document";
import { save } from "../document/files";
import { useKinds } from "../document/kinds";
import { errorMessage } from "../ipc/client";
import type { FlowDoc, FlowNode } from "../ipc/generated/bindings";
import { startRun } from "../runs";
import { estimateNow } from "../runs/estimate";
import { formatUsd } from "../runs/format";
import { collectInputs, inputFields, inputsKey, RUN_VALUE, useRunInputs } from "../runs/inputs";
import { builtinAction, missingModels } from "../runs/missing-models";
import { useProviders } from "../runs/providers";
import { openSettings } from "../runs/set-up";
import { isRunning, useRuns } from "../runs/store";
import { askQuestion } from "../session/dialog";
import { useSession } from "../session/session";
import { confirmTrust } from "../trust/store";
import type { Command } from "./command";

async function savedFirst(state: { path: string | null; root: FlowDoc }): Promise<boolean> {
  const answer = await askQuestion({
    title: `Save “${fileName(state.path, state.root.name)}” before the run?`,
    detail: "The run reads this file as it is on the disk, without the changes that are not saved.",
    choices: [
      { label: "Save and run", value: "save", tone: "primary" },
      { label: "Run without them", value: "run" },
      { label: "Cancel", value: "cancel" },
    ],
    cancel: "cancel",
  });
  return answer === "save" ? save() : answer === "run";
}

/** Whether to start a run that could cost more than the person wants to be asked about. */
async function confirmCost(): Promise<boolean> {
  const above = useProviders.getState().settings?.askAboveUsd ?? null;
  if (above === null) return true;
  const { maxUsd } = await estimateNow();
  if (maxUsd === null || maxUsd <= above) return true;
  return askQuestion({
    title: `This run can cost up to ${formatUsd(maxUsd)}`,
    detail: `You are asked above ${formatUsd(above)}, as Settings says. True costs are usually a quarter of the most, or less.`,
    choices: [
      { label: "Run", value: true, tone: "primary" },
      { label: "Cancel", value: false },
    ],
    cancel: false,
  });
}

/** Whether every input has a value that a run can start with. Of the first that has none the field is shown. */
function hasInputs(): boolean {
  const state = useDocument.getState();
  const { root, path } = outermost(state);
  const fields = inputFields(root, useKinds.getState().kinds);
  const { errors } = collectInputs(fields, useRunInputs.getState().typed[inputsKey(path, root)] ?? {});
  const missing = fields.find(({ name }) => name in errors);
  if (missing === undefined) return true;
  const { layout, setLayout, select, patch, toast } = useSession.getState();
  toast({ tone: "warn", title: "The run did not start", detail: Object.values(errors).join(" ") });
  // Inside a subflow the inputs of the run are not shown.
  if (breadcrumbPath(state).length > 0) return false;
  if (layout !== "edit") setLayout("edit");
  select([missing.nodeId]);
  patch({ sideOpen: true, focusField: `${missing.nodeId}.${RUN_VALUE}` });
  return false;
}

/** Whether to start a run that no model can answer: it would fail, unless it never comes to the node. */
async function confirmModels(): Promise<boolean> {
  const missing = missingModels();
  if (missing === null) return true;
  const builtin = builtinAction(missing);
  const answer = await askQuestion({
    title: missing.sentence,
    detail: "The run would fail there. Set up a provider in Settings, or use a model that is built in.",
    choices: [
      { label: openSettings.label, value: "settings", tone: "primary" },
      ...(builtin === null ? [] : [{ label: builtin.label, value: "builtin" }]),
      { label: "Run anyway", value: "run" },
      { label: "Cancel", value: "cancel" },
    ],
    cancel: "cancel",
  });
  if (answer === "settings") openSettings.run();
  if (answer === "builtin") {
    builtin?.run();
    await analyzeNow();
    return confirmModels();
  }
  return answer === "run";
}

/**
 * Whether a run of the document in hand may begin. What is in the way of it is shown or asked. `takesInputs`: it has the inputs that were
 * typed, and not those of a past run.
 */
export async function canStartRun(takesInputs: boolean, isWhole = false): Promise<boolean> {
  const { toast } = useSession.getState();
  const { byType } = useKinds.getState();
  // A note is read, not run.
  const isNote = ({ type }: FlowNode) => byType.get(type)?.shape === "annotation";
  if (outermost(useDocument.getState()).root.nodes.every(isNote)) {
    toast({
      tone: "info",
      title: "There is nothing to run",
      detail: "Add a node first, or begin with a template.",
      actions: [{ label: "Templates", run: () => useSession.getState().show("gallery") }],
    });
    return false;
  }
  const analysis = await analyzeNow();
  if (!analysis.runnable) {
    useSession.getState().openDock("problems");
    return false;
  }
  // Before anything is saved or asked for a run that cannot start.
  if (takesInputs && !hasInputs()) return false;
  // A run of a part does not come to all nodes, and a fork keeps what some gave before.
  if (isWhole && !(await confirmModels())) return false;
  const state = useDocument.getState();
  // A run is of the outermost file; it reads the files that this one refers to from the disk.
  if (state.parents.length > 0 && isFileDirty(state) && !(await savedFirst(state))) return false;
  return confirmCost();
}

export const runCommand: Command = {
  id: "run.start",
  label: "Run",
  icon: "play",
  keys: ["mod+enter"],
  scope: "window",
  possible: () =>
    useSession.getState().view === "editor" &&
    !isRunning(useRuns.getState().live) &&
    useRuns.getState().past === null,
  run: async () => {
    const session = useSession.getState();
    if (isRunning(useRuns.getState().live)) return;
    // What is run is the document in hand, not the past run that may lie in front of it.
    useRuns.getState().closePast();
    try {
      if (!(await canStartRun(true, true))) return;
      const { root, path } = outermost(useDocument.getState());
      if (!(await confirmTrust(root, path))) return;
      const layout = session.layout;
      session.setLayout("run");
      // Without a loop there are no iterations to go through; what happened is in the log.
      if (useAnalysis.getState().whole.regions.length === 0) session.patch({ dockTab: "log" });
      try {
        await startRun(root, path, {});
      } catch (error) {
        session.setLayout(layout);
        throw error;
      }
    } catch (error) {
      session.toast({ tone: "error", title: "The run did not start", detail: errorMessage(error) });
    }
  },
};
