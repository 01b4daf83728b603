// Starts a run. If errors prevent it, the problems open instead. The button is therefore always enabled, and
// says what to do.
import { analyzeNow, useAnalysis, waitsForScripts } from "../document/analysis";
import { breadcrumbPath, fileName, isFileDirty, outermost, useDocument } from "../document/document";
import { saveDocument } from "../document/files";
import { useKinds } from "../document/kinds";
import { askForProblems } from "../document/quiet";
import { errorMessage } from "../ipc/client";
import type { FlowDoc, FlowNode, Problem } from "../ipc/generated/bindings";
import { emptyInputs } from "../runs/inputs/empty-inputs";
import { estimateNow } from "../runs/inputs/estimate";
import { collectInputs, type InputField, inputFields, RUN_VALUE } from "../runs/inputs/inputs";
import { builtinAction, type MissingModels, missingModels } from "../runs/inputs/missing-models";
import { pinsOf } from "../runs/inputs/pins";
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
    detail: "The run reads the file on disk, without your unsaved changes.",
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

/**
 * Asks whether to start a run, if its maximum cost exceeds the amount above which the user wants to confirm.
 * Returns whether to start.
 */
export async function confirmCost(maxUsd: number | null): Promise<boolean> {
  const above = useProviders.getState().settings?.askAboveUsd ?? null;
  if (above === null || maxUsd === null || maxUsd <= above) return true;
  return askQuestion({
    title: `This run can cost up to ${formatUsd(maxUsd)}`,
    detail: `You chose in Settings to be asked above ${formatUsd(above)}. The actual cost is usually a quarter of the maximum or less.`,
    choices: [
      { label: "Run", value: true, tone: "primary" },
      { label: "Cancel", value: false },
    ],
    cancel: false,
  });
}

/** Focuses the field in which an input's value is typed. */
function showInput({ nodeId }: InputField): void {
  // The run's inputs are not shown inside a subflow.
  if (breadcrumbPath(useDocument.getState()).length > 0) return;
  const { layout, setLayout, select, patch } = useSession.getState();
  if (layout !== "edit") setLayout("edit");
  select([nodeId]);
  patch({ sideOpen: true, focusField: `${nodeId}.${RUN_VALUE}` });
}

/**
 * Returns whether every input has a usable value. If not, shows a message, and focuses the field of the first
 * input without one.
 */
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

/** The inputs that may be empty, as the user confirmed, each with its file. Kept until the window closes. */
const confirmedEmpty = new Set<string>();

/**
 * Asks whether to start a run that would send empty text to a model. Asks once for each input of a file.
 * Returns whether to start.
 */
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
    detail: "The prompt would be sent without this text. Type a value first, or run with an empty one.",
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

/** Asks what to do about nodes for which no model is available. A run that reaches such a node fails. */
async function askAboutModels(missing: MissingModels): Promise<"run" | "changed" | "cancel"> {
  const builtin = builtinAction(missing);
  const answer = await askQuestion({
    title: missing.sentence,
    detail: "The run would fail there. Set up a provider in Settings, or use a built-in model.",
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

/**
 * Asks whether to start a run whose agents are not installed, before the user is asked to approve it. Returns
 * whether to start. Pinned nodes start no agent.
 */
async function confirmMissingAgents(problems: readonly Problem[]): Promise<boolean> {
  const pins = pinsOf(outermost(useDocument.getState()));
  const missing = problems.filter(
    ({ code, node }) => code === "agent_missing" && !(node !== null && node in pins),
  );
  const [first] = missing;
  if (first === undefined) return true;
  const { node } = first;
  const isHere = useDocument.getState().document.nodes.some(({ id }) => id === node);
  const answer = await askQuestion({
    title: "An agent of this workflow is not installed",
    detail: `${missing.map(({ message }) => message).join(" ")} The run would fail there.`,
    choices: [
      ...(isHere ? [{ label: "Choose another", value: "choose", tone: "primary" as const }] : []),
      { label: "Run anyway", value: "run" },
      { label: "Cancel", value: "cancel" },
    ],
    cancel: "cancel",
  });
  if (answer === "choose" && node !== null) {
    const { setLayout, select, patch } = useSession.getState();
    setLayout("edit");
    select([node]);
    patch({ sideOpen: true, focusField: `${node}.runner` });
  }
  return answer === "run";
}

/** Returns whether there is anything to run; if not, shows a message. Notes do not run. */
function hasNodes(): boolean {
  const { byType } = useKinds.getState();
  const isNote = ({ type }: FlowNode) => byType.get(type)?.shape === "annotation";
  if (!outermost(useDocument.getState()).root.nodes.every(isNote)) return true;
  useSession.getState().toast({
    tone: "info",
    title: "There is nothing to run",
    detail: "Add a node first, or start with a template.",
    actions: [{ label: "Templates", run: () => useSession.getState().show("gallery") }],
  });
  return false;
}

/**
 * Asks whether to save the open file if it belongs to a subflow and has unsaved changes. A run uses the
 * editor's version of the outermost file, and reads all other files from disk.
 */
async function confirmSaved(): Promise<"saved" | "as_they_are" | "cancel"> {
  const state = useDocument.getState();
  if (state.parents.length === 0 || !isFileDirty(state)) return "as_they_are";
  return savedFirst(state);
}

/**
 * Prepares a run of the open workflow. Shows a message or asks a question about everything that prevents the
 * run. Returns null if the run does not start. `until` is the node at which the run ends, or null.
 */
export async function prepareToRun(until: string | null): Promise<PreparedRun | null> {
  if (!hasNodes()) return null;
  const { whole, stale } = useAnalysis.getState();
  const showProblems = () => {
    askForProblems();
    useSession.getState().openDock("problems");
  };
  // If errors are already known, no question is asked.
  if (!stale && !whole.runnable) {
    showProblems();
    return null;
  }
  // The inputs are checked first, so that the user is asked nothing else about a run that cannot start.
  if (!hasInputs() || !(await confirmEmptyInputs())) return null;
  if (waitsForScripts(whole)) {
    useSession.getState().toast({
      tone: "info",
      title: "The run has not started yet",
      detail: "The program that runs scripts is still being built. The run starts as soon as it is ready.",
    });
  }
  let prepared = await prepareRunInHand(until);
  if (!prepared.runnable) {
    showProblems();
    return null;
  }
  // A partial run does not reach all nodes.
  for (let missing = until === null ? missingModels(prepared.problems) : null; missing !== null; ) {
    const answer = await askAboutModels(missing);
    if (answer === "cancel") return null;
    if (answer === "run") break;
    prepared = await prepareRunInHand(until);
    missing = missingModels(prepared.problems);
  }
  if (until === null && !(await confirmMissingAgents(prepared.problems))) return null;
  const files = await confirmSaved();
  if (files === "cancel") return null;
  if (files === "saved") prepared = await prepareRunInHand(until);
  if (!(await confirmCost(prepared.mostItCanCost.maxUsd))) return null;
  return (await confirmPrepared(prepared)) ? prepared : null;
}

/**
 * Returns whether the open document may be used for a fork. If it has errors, shows them and returns false; otherwise
 * asks the user about unsaved changes, the cost and permissions, as necessary. A fork reuses the results of some
 * nodes and takes no inputs.
 */
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
    // The open document is run, not a past run in front of it.
    useRuns.getState().closePast();
    try {
      const prepared = await prepareToRun(null);
      if (prepared === null) return;
      const layout = session.layout;
      session.setLayout("run");
      // Without a loop there are no iterations to show, so the log is opened.
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
