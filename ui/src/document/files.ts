// Opens and saves files. Unsaved work is never lost without a confirmation, and a file changed by another
// program is never overwritten without one.
import { ApiFailure, api, asFailure, errorMessage } from "../ipc/client";
import type { FlowDoc, OpenedFlow, TemplateInfo } from "../ipc/generated/bindings";
import { askQuestion } from "../session/dialog";
import { type Toast, useSession } from "../session/session";
import { openInTab, showTab, tabOfFile, useTabs } from "../tabs/tabs";
import { fileName, isDirty, isFileDirty, UNNAMED, useDocument } from "./document";
import { setField } from "./edits";
import { stateOf } from "./history";
import { heldFlow, refOf } from "./inside";
import { ownIds } from "./own-ids";

function complain(title: string, error: unknown, actions: Toast["actions"] = []): number {
  // The title already says that the file cannot be opened.
  const words = asFailure(error).reason ?? errorMessage(error);
  // The message shows only the file's name; the tab shows its path.
  const path = error instanceof ApiFailure ? error.path : null;
  const detail = path === null ? words : words.replaceAll(path, `“${fileName(path, undefined)}”`);
  return useSession.getState().toast({ tone: "error", title, detail, actions });
}

/**
 * Returns whether the open file may be closed. If it has unsaved changes, asks the user to save or discard
 * them.
 */
async function confirmDiscardFile(): Promise<boolean> {
  const state = useDocument.getState();
  if (!isFileDirty(state)) return true;
  const answer = await askQuestion({
    title: `Save the changes to “${fileName(state.path, state.root.name)}”?`,
    detail: "Your changes will be lost if you don’t save them.",
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

/**
 * Returns whether everything open may be closed: the shown file and its parents. Asks about unsaved changes.
 */
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

/**
 * Leaves a subflow. If the subflow's file has unsaved changes, the user saves or discards them first. Returns
 * false if the user cancels.
 */
export async function leaveSubflow(): Promise<boolean> {
  const { inside, parents, suspended } = useDocument.getState();
  if (inside.length === 0 && parents.length === 0) return false;
  const leavesFile = inside.length === 0 && suspended === null;
  if (leavesFile && !(await confirmDiscardFile())) return false;
  const from = inside.at(-1) ?? parents.at(-1)?.node;
  useDocument.getState().leave();
  // The subflow's node is selected, so that the user continues there.
  useSession.getState().select(from === undefined ? [] : [from]);
  return true;
}

/** Enters a subflow: the flow inside the node, or its file. Returns false if it cannot be opened. */
export async function enterSubflow(nodeId: string): Promise<boolean> {
  const state = useDocument.getState();
  const node = state.document.nodes.find((n) => n.id === nodeId);
  const reference = refOf(node);
  if (heldFlow(node) !== null) {
    useDocument.getState().enter(nodeId);
  } else if (reference !== null) {
    if (state.path === null) {
      complain(
        `“${reference}” cannot be located`,
        new Error("This workflow has no file yet, so there is no folder to look in. Save it first."),
      );
      return false;
    }
    try {
      const opened = await api().readSubflow(state.path, reference);
      if ([state.path, ...state.parents.map((o) => o.path)].includes(opened.path)) {
        complain(
          `“${reference}” is already open`,
          new Error("It contains the flow that you are editing. A flow cannot contain itself."),
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
    complain("A new flow could not be created", error);
  }
}

/**
 * Opens a copy of a template, without a file. A template that works on an example project is copied to a
 * folder that the user chooses, together with the project.
 */
export async function openTemplate(template: TemplateInfo): Promise<void> {
  if (!template.hasProject) {
    showInEditor(structuredClone(template.document), null, null);
    return;
  }
  try {
    const folder = await api().pickFolder();
    if (folder === null) return;
    const path = await api().copyTemplate(template.id, folder);
    await openPath(path);
    useSession.getState().toast({
      tone: "info",
      title: `“${template.name}” and its example project were copied to a new folder.`,
      detail: "A run works in a private copy of the project.",
    });
  } catch (error) {
    complain(`“${template.name}” could not be copied`, error);
  }
}

/** Shows the notices that Rust returned for a file it read. */
export function showNotes({ document, notes }: Pick<OpenedFlow, "document" | "notes">): void {
  const { toast } = useSession.getState();
  for (const title of notes) toast({ tone: "info", title });
  const doubled = ownIds(document).notes;
  if (doubled.length === 0) return;
  toast({
    tone: "warn",
    stays: true,
    title:
      doubled.length === 1
        ? "A duplicate node id was replaced"
        : `${doubled.length} duplicate node ids were replaced`,
    detail: `${doubled.join(" ")} The file is unchanged until you save.`,
  });
}

const EVALUATION_ENDING = ".eval.json";

/** Opens an evaluation on its page. Returns false if it was not opened. */
async function openEvaluation(path: string): Promise<boolean> {
  // The module is loaded on demand, since it also reads the open document.
  const { useEvaluation } = await import("../pages/evaluate/evaluation-store");
  if (!(await useEvaluation.getState().open(path))) return false;
  useSession.getState().show("evaluate");
  return true;
}

/**
 * Opens a file in a tab. A file that is already open is brought to the front. An evaluation opens on its
 * page. If the file cannot be opened, shows a message and returns false.
 */
export async function openPath(path: string): Promise<boolean> {
  if (path.endsWith(EVALUATION_ENDING)) return openEvaluation(path);
  try {
    const opened = await api().openFlow(path);
    const open = tabOfFile(opened.path);
    if (open !== null) {
      showTab(open);
      useSession.getState().show("editor");
      // A file without unsaved changes is read again if it has changed on disk. With unsaved changes, the
      // user resolves the difference when saving.
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

/**
 * Reads the open file again and discards changes. If the file cannot be read, shows a message and returns
 * false.
 */
export async function reloadDocument(path: string): Promise<boolean> {
  try {
    const opened = await api().openFlow(path);
    if (useDocument.getState().parents.length > 0) useDocument.getState().replaceFile(opened);
    else {
      useSession.getState().select([]);
      const { inside, edit, open } = useDocument.getState();
      if (inside.length > 0 || !isFileDirty(useDocument.getState())) open(opened);
      else {
        // The discarded changes can be undone.
        const { document } = ownIds(opened.document);
        edit(() => document, { label: "Reload the file" });
        const state = stateOf(useDocument.getState().history);
        useDocument
          .getState()
          .markSaved({ path: opened.path, version: opened.version, state, at: Date.now() });
        // If ids were replaced, the document differs from the file.
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

/** Gives an unnamed workflow the name of its file: `essay` for `/flows/essay.flow.json`. */
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

/** The notices about flows that could not be saved, by tab. */
const notices = new Map<string, number>();

/** Removes the notice of a tab when another attempt to save begins. */
function forgetNotice(tab: string): void {
  const toastId = notices.get(tab);
  if (toastId !== undefined) useSession.getState().dismiss(toastId);
  notices.delete(tab);
}

/** Saves the tab that the notice belongs to, since another tab may be active by now. */
function saveTabAs(tab: string): void {
  if (!useTabs.getState().tabs.some(({ id }) => id === tab)) return;
  showTab(tab);
  void saveAs();
}

/**
 * Writes the open file. `expected` is the version on disk that may be replaced; null replaces any. If the
 * file on disk has another version, asks the user what to do. Returns false if the open document was not
 * written.
 */
async function write(path: string, expected: string | null): Promise<boolean> {
  const { id, root, history } = useDocument.getState();
  const state = stateOf(history);
  const tab = useTabs.getState().active;
  try {
    const saved = await api().saveFlow(path, root, expected);
    // Another tab may be active by now, or this one may be gone.
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
    detail:
      "The file on disk is not the version that you opened. Replace it with yours, or save yours under another name.",
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
