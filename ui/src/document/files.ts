// Opening and saving. Nothing unsaved is ever lost without a question; a file that another program changed is never
// overwritten without one.
import { ApiFailure, api, asFailure, errorMessage } from "../ipc/client";
import type { FlowDoc, OpenedFlow } from "../ipc/generated/bindings";
import { askQuestion } from "../session/dialog";
import { type Toast, useSession } from "../session/session";
import { openInTab, showTab, tabOfFile, useTabs } from "../tabs/tabs";
import { fileName, isDirty, isFileDirty, UNNAMED, useDocument } from "./document";
import { setField } from "./edits";
import { stateOf } from "./history";
import { heldFlow, refOf } from "./inside";
import { ownIds } from "./own-ids";

function complain(title: string, error: unknown, actions: Toast["actions"] = []): number {
  // The title says already which file, and that it cannot be opened.
  const words = asFailure(error).reason ?? errorMessage(error);
  // A name says which file: its path is in the tab.
  const path = error instanceof ApiFailure ? error.path : null;
  const detail = path === null ? words : words.replaceAll(path, `“${fileName(path, undefined)}”`);
  return useSession.getState().toast({ tone: "error", title, detail, actions });
}

/** Whether the file in hand may be closed: saved, or given up by the person. */
async function confirmDiscardFile(): Promise<boolean> {
  const state = useDocument.getState();
  if (!isFileDirty(state)) return true;
  const answer = await askQuestion({
    title: `Save the changes to “${fileName(state.path, state.root.name)}”?`,
    detail: "They are lost if you don’t save them.",
    choices: [
      { label: "Save", value: "save", tone: "primary" },
      { label: "Don’t save", value: "discard", tone: "danger" },
      { label: "Cancel", value: "cancel" },
    ],
    cancel: "cancel",
  });
  if (answer === "save") return saveDocument();
  return answer === "discard";
}

/** Whether everything in hand may be closed: the file that is shown, and those around it. */
export async function confirmDiscard(): Promise<boolean> {
  if (!isDirty(useDocument.getState())) return true;
  useDocument.getState().backToEditing();
  for (;;) {
    if (!(await confirmDiscardFile())) return false;
    const { inside, parents } = useDocument.getState();
    if (parents.length === 0) return true;
    for (let i = 0; i <= inside.length; i++) useDocument.getState().leave();
  }
}

/** Leaves a subflow. A file that was changed is saved first, or given up. */
export async function leaveSubflow(): Promise<boolean> {
  const { inside, parents, suspended } = useDocument.getState();
  if (inside.length === 0 && parents.length === 0) return false;
  const leavesFile = inside.length === 0 && suspended === null;
  if (leavesFile && !(await confirmDiscardFile())) return false;
  const from = inside.at(-1) ?? parents.at(-1)?.node;
  useDocument.getState().leave();
  // Where one came from is where one continues.
  useSession.getState().select(from === undefined ? [] : [from]);
  return true;
}

/** Enters a subflow: the flow that the node holds, or the file that it refers to. */
export async function enterSubflow(nodeId: string): Promise<boolean> {
  const state = useDocument.getState();
  const node = state.document.nodes.find((n) => n.id === nodeId);
  const reference = refOf(node);
  if (heldFlow(node) !== null) {
    useDocument.getState().enter(nodeId);
  } else if (reference !== null) {
    if (state.path === null) {
      complain(
        `“${reference}” cannot be looked for`,
        new Error("This workflow has no file yet, so there is no folder to look in. Save it first."),
      );
      return false;
    }
    try {
      const opened = await api().readSubflow(state.path, reference);
      if ([state.path, ...state.parents.map((o) => o.path)].includes(opened.path)) {
        complain(
          `“${reference}” is open already`,
          new Error("It is a file around this one. A flow cannot hold itself."),
        );
        return false;
      }
      useDocument.getState().enterFile(nodeId, opened);
      for (const note of opened.notes) useSession.getState().toast({ tone: "info", title: note });
    } catch (error) {
      complain(`“${reference}” could not be opened`, error);
      return false;
    }
  } else return false;
  useSession.getState().select([]);
  return true;
}

function showInEditor(document: FlowDoc, path: string | null, version: string | null): void {
  openInTab({ document, path, version });
  useSession.getState().show("editor");
}

export async function newFlow(): Promise<void> {
  try {
    showInEditor(await api().newFlow(), null, null);
  } catch (error) {
    complain("A new flow could not be made", error);
  }
}

/** A template is copied: it opens without a file of its own. */
export function openTemplate(document: FlowDoc): void {
  showInEditor(structuredClone(document), null, null);
}

/** Says what there is to know of a file that was read. */
export function showNotes({ document, notes }: Pick<OpenedFlow, "document" | "notes">): void {
  const { toast } = useSession.getState();
  for (const title of notes) toast({ tone: "info", title });
  const doubled = ownIds(document).notes;
  if (doubled.length === 0) return;
  toast({
    tone: "warn",
    stays: true,
    title:
      doubled.length === 1 ? "A node got an id of its own" : `${doubled.length} nodes got ids of their own`,
    detail: `${doubled.join(" ")} The file is as it was until you save.`,
  });
}

const EVALUATION_ENDING = ".eval.json";

/** Opens an evaluation on its page. */
async function openEvaluation(path: string): Promise<boolean> {
  // Loaded when needed: it reads the open document, as this file does.
  const { useEvaluation } = await import("../pages/evaluate/evaluation-store");
  if (!(await useEvaluation.getState().open(path))) return false;
  useSession.getState().show("evaluate");
  return true;
}

/** Opens a file in a tab. One that is open already comes to the front, as it is there. An evaluation opens on its page. */
export async function openPath(path: string): Promise<boolean> {
  if (path.endsWith(EVALUATION_ENDING)) return openEvaluation(path);
  try {
    const opened = await api().openFlow(path);
    const open = tabOfFile(opened.path);
    if (open !== null) {
      showTab(open);
      useSession.getState().show("editor");
      // Whoever opens a file means what it holds now; of one with changes here saving asks.
      const here = useDocument.getState();
      if (here.path === opened.path && here.version !== opened.version && !isFileDirty(here))
        return reloadDocument(opened.path);
      return true;
    }
    showInEditor(opened.document, opened.path, opened.version);
    showNotes(opened);
    return true;
  } catch (error) {
    complain(`“${fileName(path, undefined)}” could not be opened`, error);
    return false;
  }
}

/** Reads the file in hand again; what was changed here is given up. */
export async function reloadDocument(path: string): Promise<boolean> {
  try {
    const opened = await api().openFlow(path);
    if (useDocument.getState().parents.length > 0) useDocument.getState().replaceFile(opened);
    else {
      useSession.getState().select([]);
      const { inside, edit, open } = useDocument.getState();
      if (inside.length > 0 || !isFileDirty(useDocument.getState())) open(opened);
      else {
        // What is given up can be taken back.
        const { document } = ownIds(opened.document);
        edit(() => document, { label: "Read the file again" });
        const state = stateOf(useDocument.getState().history);
        useDocument
          .getState()
          .markSaved({ path: opened.path, version: opened.version, state, at: Date.now() });
        // With other ids it is not what the file holds.
        if (document !== opened.document) useDocument.getState().markLost();
      }
    }
    showNotes(opened);
    return true;
  } catch (error) {
    complain(`“${fileName(path, undefined)}” could not be opened`, error);
    return false;
  }
}

export const suggestedName = (document: FlowDoc): string => {
  const stem = (document.name ?? "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return `${stem || "untitled"}.flow.json`;
};

/** Names a workflow that has no name of its own after its file: `essay` for `/flows/essay.flow.json`. */
function nameAfter(path: string): void {
  const { root, inside, edit } = useDocument.getState();
  const isNamed = root.name !== undefined && root.name !== "" && root.name !== UNNAMED;
  const stem = fileName(path, undefined).replace(/(\.flow)?\.[^.]*$/, "");
  if (isNamed || inside.length > 0 || stem === "") return;
  edit(setField("name", stem), { label: "Name the workflow" });
}

export async function saveAs(): Promise<boolean> {
  try {
    const path = await api().pickSave(suggestedName(useDocument.getState().root));
    if (path === null) return false;
    nameAfter(path);
    return await write(path, null);
  } catch (error) {
    complain("The file dialog could not be opened", error);
    return false;
  }
}

export async function saveDocument(): Promise<boolean> {
  useDocument.getState().backToEditing();
  const { path, version } = useDocument.getState();
  return path === null ? saveAs() : write(path, version);
}

/** The notices of flows that were not saved, by tab. */
const notices = new Map<string, number>();

/** Saved or refused once more: what was said before no longer holds. */
function forgetNotice(tab: string): void {
  const toastId = notices.get(tab);
  if (toastId !== undefined) useSession.getState().dismiss(toastId);
  notices.delete(tab);
}

/** Of the tab that the notice is about: meanwhile another may be in front. */
function saveTabAs(tab: string): void {
  if (!useTabs.getState().tabs.some(({ id }) => id === tab)) return;
  showTab(tab);
  void saveAs();
}

/** `expected` is the version on disk that may be replaced; null replaces any. */
async function write(path: string, expected: string | null): Promise<boolean> {
  const { id, root, history } = useDocument.getState();
  const state = stateOf(history);
  const tab = useTabs.getState().active;
  try {
    const saved = await api().saveFlow(path, root, expected);
    // Meanwhile another tab may have come to the front, or this one may be gone.
    const front = useTabs.getState().active;
    showTab(tab);
    if (useDocument.getState().id === id)
      useDocument.getState().markSaved({ ...saved, state, at: Date.now() });
    showTab(front);
    forgetNotice(tab);
    return true;
  } catch (error) {
    if (error instanceof ApiFailure && error.code === "changed_on_disk") return settleConflict(path);
    const actions = [{ label: "Save as…", run: () => saveTabAs(tab) }];
    forgetNotice(tab);
    notices.set(tab, complain(`“${fileName(path, undefined)}” was not saved.`, error, actions));
    return false;
  }
}

async function settleConflict(path: string): Promise<boolean> {
  const answer = await askQuestion({
    title: `“${fileName(path, undefined)}” was changed by another program`,
    detail: "It is not the version that you opened. Yours can replace it, or be saved under another name.",
    choices: [
      { label: "Save as…", value: "as", tone: "primary" },
      { label: "Replace it", value: "replace", tone: "danger" },
      { label: "Open theirs", value: "theirs" },
      { label: "Cancel", value: "cancel" },
    ],
    cancel: "cancel",
  });
  if (answer === "as") return saveAs();
  if (answer === "replace") return write(path, null);
  if (answer === "theirs") await reloadDocument(path);
  return false;
}
