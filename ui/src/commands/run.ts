// Start a run. Blocked by errors it opens the problems instead: the button stays, and says what to do.
import { analyzeNow, useAnalysis, waitsForScripts } from "../document/analysis";
import { breadcrumbPath, fileName, isFileDirty, outermost, useDocument } from "../document/document";
import { saveDocument } from "../document/files";
import { useKinds } from "../document/kinds";
import { askForProblems } from "../document/quiet";
import { errorMessage } from "../ipc/client";
import type { FlowDoc, FlowNode } from "../ipc/generated/bindings";
import { emptyInputs } from "../runs/inputs/empty-inputs";
import { estimateNow } from "../runs/inputs/estimate";
import { collectInputs, type InputField, inputFields, RUN_VALUE } from "../runs/inputs/inputs";
import { builtinAction, type MissingModels, missingModels } from "../runs/inputs/missing-models";
import { useProviders } from "../runs/inputs/providers";
import { openSettings } from "../runs/inputs/set-up";
import { keyInHand, typedInHand } from "../runs/inputs/typed-inputs";
import { type PreparedRun, prepareRunInHand } from "../runs/session/prepare";
import { isUnfinished, useRuns } from "../runs/session/store";
import { formatUsd } from "../runs/words/format";
import { askQuestion } from "../session/dialog";
import { useSession } from "../session/session";
import { confirmPrepared, confirmTrust } from "../trust/store";
import type { Command } from "./command";

async function savedFirst(state: {
  path: string | null;
  root: FlowDoc;
}): Promise<"saved" | "as_they_are" | "cancel"> {
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
  if (answer === "save") return (await saveDocument()) ? "saved" : "cancel";
  return answer === "run" ? "as_they_are" : "cancel";
}

/** Whether to start a run that could cost more than the person wants to be asked about. */
export async function confirmCost(maxUsd: number | null): Promise<boolean> {
  const above = useProviders.getState().settings?.askAboveUsd ?? null;
  if (above === null || maxUsd === null || maxUsd <= above) return true;
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

/** Puts the focus where the value of an input is typed. */
function showInput({ nodeId }: InputField): void {
  // Inside a subflow the inputs of the run are not shown.
  if (breadcrumbPath(useDocument.getState()).length > 0) return;
  const { layout, setLayout, select, patch } = useSession.getState();
  if (layout !== "edit") setLayout("edit");
  select([nodeId]);
  patch({ sideOpen: true, focusField: `${nodeId}.${RUN_VALUE}` });
}

/** Whether every input has a value that a run can start with. Of the first that has none the field is shown. */
function hasInputs(): boolean {
  const { root } = outermost(useDocument.getState());
  const fields = inputFields(root, useKinds.getState().kinds);
  const { errors } = collectInputs(fields, typedInHand());
  const missing = fields.find(({ name }) => name in errors);
  if (missing === undefined) return true;
  useSession
    .getState()
    .toast({ tone: "warn", title: "The run did not start", detail: Object.values(errors).join(" ") });
  showInput(missing);
  return false;
}

/** The files and inputs that a person chose to run without a text, until the window closes. */
const confirmedEmpty = new Set<string>();

/** Whether to start a run that asks a model about an empty text. It is asked once for each input of a file. */
async function confirmEmptyInputs(): Promise<boolean> {
  const { root } = outermost(useDocument.getState());
  const file = keyInHand();
  const empty = emptyInputs(root, useKinds.getState().kinds, typedInHand()).filter(
    ({ name }) => !confirmedEmpty.has(`${file} ${name}`),
  );
  const [first] = empty;
  if (first === undefined) return true;
  const names = empty.map(({ label }) => `“${label}”`).join(", ");
  const answer = await askQuestion({
    title: `${names} ${empty.length === 1 ? "is" : "are"} empty. Run anyway?`,
    detail: "A model would be asked without this text. Type a value first, or run with an empty one.",
    choices: [
      { label: "Type a value", value: "type", tone: "primary" },
      { label: "Run anyway", value: "run" },
      { label: "Cancel", value: "cancel" },
    ],
    cancel: "cancel",
  });
  if (answer === "type") showInput(first);
  if (answer !== "run") return false;
  for (const { name } of empty) confirmedEmpty.add(`${file} ${name}`);
  return true;
}

/** What a person does about nodes that no model can answer: the run would fail there, unless it does not reach them. */
async function askAboutModels(missing: MissingModels): Promise<"run" | "changed" | "cancel"> {
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
    return "changed";
  }
  return answer === "run" ? "run" : "cancel";
}

/** Whether there is anything to run: a note is read, not run. */
function hasNodes(): boolean {
  const { byType } = useKinds.getState();
  const isNote = ({ type }: FlowNode) => byType.get(type)?.shape === "annotation";
  if (!outermost(useDocument.getState()).root.nodes.every(isNote)) return true;
  useSession.getState().toast({
    tone: "info",
    title: "There is nothing to run",
    detail: "Add a node first, or begin with a template.",
    actions: [{ label: "Templates", run: () => useSession.getState().show("gallery") }],
  });
  return false;
}

/** Whether the files that the run reads are as they are meant to be. A run is of the outermost file, and reads the others from the disk. */
async function confirmSaved(): Promise<"saved" | "as_they_are" | "cancel"> {
  const state = useDocument.getState();
  if (state.parents.length === 0 || !isFileDirty(state)) return "as_they_are";
  return savedFirst(state);
}

/**
 * Prepares a run of the workflow in hand. What is in the way of it is shown or asked; null where it does not start. `until`: the node at
 * which it ends.
 */
export async function prepareToRun(until: string | null): Promise<PreparedRun | null> {
  if (!hasNodes()) return null;
  const { whole, stale } = useAnalysis.getState();
  const showProblems = () => {
    askForProblems();
    useSession.getState().openDock("problems");
  };
  // Where errors are known already, nothing is asked for.
  if (!stale && !whole.runnable) {
    showProblems();
    return null;
  }
  // Before anything is saved or asked for a run that cannot start.
  if (!hasInputs() || !(await confirmEmptyInputs())) return null;
  if (waitsForScripts(whole)) {
    useSession.getState().toast({
      tone: "info",
      title: "The run waits for scripts",
      detail: "The program that runs them is still being built. The run starts once it is there.",
    });
  }
  let prepared = await prepareRunInHand(until);
  if (!prepared.runnable) {
    showProblems();
    return null;
  }
  // A run of a part does not reach all nodes.
  for (let missing = until === null ? missingModels(prepared.problems) : null; missing !== null; ) {
    const answer = await askAboutModels(missing);
    if (answer === "cancel") return null;
    if (answer === "run") break;
    prepared = await prepareRunInHand(until);
    missing = missingModels(prepared.problems);
  }
  const files = await confirmSaved();
  if (files === "cancel") return null;
  if (files === "saved") prepared = await prepareRunInHand(until);
  if (!(await confirmCost(prepared.mostItCanCost.maxUsd))) return null;
  return (await confirmPrepared(prepared)) ? prepared : null;
}

/** Whether a run may be forked with the document in hand. A fork keeps what some nodes gave before, and takes no inputs. */
export async function canForkInHand(): Promise<boolean> {
  if (!hasNodes()) return false;
  const analysis = await analyzeNow();
  if (!analysis.runnable) {
    useSession.getState().openDock("problems");
    return false;
  }
  if ((await confirmSaved()) === "cancel") return false;
  const { root, path } = outermost(useDocument.getState());
  const asks = useProviders.getState().settings?.askAboveUsd != null;
  if (asks && !(await confirmCost((await estimateNow()).maxUsd))) return false;
  return confirmTrust(root, path);
}

export const runCommand: Command = {
  id: "run.start",
  label: "Run",
  icon: "play",
  keys: ["mod+enter"],
  scope: "window",
  possible: () =>
    useSession.getState().view === "editor" &&
    !isUnfinished(useRuns.getState().live) &&
    useRuns.getState().past === null,
  run: async () => {
    const session = useSession.getState();
    if (isUnfinished(useRuns.getState().live)) return;
    // What is run is the document in hand, not the past run that may lie in front of it.
    useRuns.getState().closePast();
    try {
      const prepared = await prepareToRun(null);
      if (prepared === null) return;
      const layout = session.layout;
      session.setLayout("run");
      // Without a loop there are no iterations to go through; what happened is in the log.
      if (useAnalysis.getState().whole.regions.length === 0) session.patch({ dockTab: "log" });
      try {
        await useRuns.getState().start(prepared);
      } catch (error) {
        session.setLayout(layout);
        throw error;
      }
    } catch (error) {
      session.toast({ tone: "error", title: "The run did not start", detail: errorMessage(error) });
    }
  },
};
