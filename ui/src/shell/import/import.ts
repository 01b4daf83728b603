// Flows of other systems: read into a tab of their own, with the account of what became of each part.
import { create } from "zustand";
import { fileName, isDirty, useDocument } from "../../document/document";
import { openPath } from "../../document/files";
import { ApiFailure, api, errorMessage, type ImportSource } from "../../ipc/client";
import type { ImportFormat, ImportReport } from "../../ipc/generated/bindings";
import { askQuestion } from "../../session/dialog";
import { useSession } from "../../session/session";
import { openInTab, useTabs } from "../../tabs/tabs";

export interface Imported {
  source: ImportSource;
  report: ImportReport;
  /** The ways in which the format can be read; empty where there is one. */
  dialects: readonly string[];
}

/** The reports that are shown, by tab. */
export const useImports = create<{ byTab: Readonly<Record<string, Imported>> }>()(() => ({ byTab: {} }));

export const closeReport = (tab: string): void =>
  useImports.setState((s) => {
    const { [tab]: _, ...byTab } = s.byTab;
    return { byTab };
  });

const nameOf = ({ path }: ImportSource): string =>
  path === undefined ? "What was pasted" : `“${fileName(path, undefined)}”`;

function complain(source: ImportSource, error: unknown): false {
  useSession.getState().toast({
    tone: "error",
    title: `${nameOf(source)} was not imported.`,
    detail: `${source.path === undefined ? "" : "The file is as it was. "}${errorMessage(error)}`,
  });
  return false;
}

const inSentence = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);

const formats = (): Promise<readonly ImportFormat[]> => api().importFormats();

/** Asks which format a file has, where its content does not tell. Null: the person gave up. */
async function askFormat(source: ImportSource, why: string): Promise<string | null> {
  const known = await formats();
  return askQuestion<string | null>({
    title: `What is ${inSentence(nameOf(source))}?`,
    detail: why,
    choices: [
      ...known.map((format) => ({ label: format.title, value: format.id })),
      { label: "Cancel", value: null },
    ],
    cancel: null,
  });
}

/** Asks in which of several ways a format is to be read: "" as it looks. Null: the person gave up. */
function askDialect(
  source: ImportSource,
  report: ImportReport,
  dialects: readonly string[],
): Promise<string | null> {
  const looks = report.dialect ?? dialects[0] ?? "";
  // What it looks like may be said with a reason behind it.
  const detected = dialects.find((dialect) => looks === dialect || looks.startsWith(`${dialect},`)) ?? looks;
  const others = dialects.filter((dialect) => dialect !== detected);
  return askQuestion<string | null>({
    title: `Which format is ${inSentence(nameOf(source))}?`,
    detail: `${report.title} files have several forms. This one looks like ${looks}.`,
    choices: [
      { label: `${detected} (detected)`, value: "", tone: "primary" as const },
      ...others.map((dialect) => ({ label: dialect, value: dialect })),
      { label: "Cancel", value: null },
    ],
    cancel: null,
  });
}

/** How the Rust side says that a file is of no format it knows (`ImportError::Unknown`); every other refusal knows which it is. */
const OF_NONE = /none of the formats/;

/** Whether to ask which format a file has: one that was recognised and refused is what it is, and the reason is said. */
const isOfNone = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure && error.code === "invalid_flow" && OF_NONE.test(error.message);

/** Reads a flow of another system into a new tab. */
export async function importFrom(source: ImportSource, from: string | null = null): Promise<boolean> {
  try {
    let { document, report } = await api().importFlow(source, from, null);
    const dialects = (await formats()).find((format) => format.id === report.format)?.dialects ?? [];
    if (dialects.length > 1) {
      const chosen = await askDialect(source, report, dialects);
      if (chosen === null) return false;
      if (chosen !== "") ({ document, report } = await api().importFlow(source, report.format, chosen));
    }
    openInTab({ document, path: null, version: null, unsaved: true });
    useSession.getState().show("editor");
    const tab = useTabs.getState().active;
    useImports.setState((s) => ({ byTab: { ...s.byTab, [tab]: { source, report, dialects } } }));
    return true;
  } catch (error) {
    if (from === null && isOfNone(error)) {
      const format = await askFormat(source, error.message);
      return format === null ? false : importFrom(source, format);
    }
    return complain(source, error);
  }
}

export const importPath = (path: string): Promise<boolean> => importFrom({ path });

/** Offers to import a text where it is another system's flow; false where none is known that it could be. */
export async function offerImport(text: string): Promise<boolean> {
  if (text.trim() === "") return false;
  try {
    const { report } = await api().importFlow({ text }, null, null);
    useSession.getState().toast({
      title: "Another system’s workflow is on the clipboard",
      detail: `It looks like this: ${report.title}. It opens in a tab of its own, with what became of each part.`,
      actions: [{ label: "Import it", run: () => void importFrom({ text }) }],
    });
    return true;
  } catch {
    // That no format fits is what most texts are like; the caller says what could be pasted.
    return false;
  }
}

/** Reads the file of a tab again in another way. What was edited since is asked about. */
export async function readAs(tab: string, imported: Imported, dialect: string): Promise<void> {
  const edited = useDocument.getState().history.done.length > 0 && isDirty(useDocument.getState());
  if (edited) {
    const answer = await askQuestion({
      title: "Read the file again?",
      detail: "The workflow is made from the file again. What you changed since the import is lost.",
      choices: [
        { label: "Read it again", value: true, tone: "danger" },
        { label: "Cancel", value: false },
      ],
      cancel: false,
    });
    if (!answer) return;
  }
  try {
    const { document, report } = await api().importFlow(imported.source, imported.report.format, dialect);
    useDocument.getState().open({ document, path: null, version: null, unsaved: true });
    useImports.setState((s) => ({ byTab: { ...s.byTab, [tab]: { ...imported, report } } }));
  } catch (error) {
    complain(imported.source, error);
  }
}

/** Files whose name says that they are ours. */
const OURS = /\.(flow\.json|eval\.json|loop)$/i;

/** Opens a file of ours, and imports any other. A plain JSON file is looked at. */
export async function openOrImport(path: string): Promise<boolean> {
  if (OURS.test(path)) return openPath(path);
  if (/\.json$/i.test(path)) {
    try {
      await api().openFlow(path);
      return openPath(path);
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.code !== "invalid_flow") return complain({ path }, error);
    }
  }
  return importPath(path);
}

export const openWithDialog = (): Promise<void> => withDialog(openOrImport);
export const importWithDialog = (): Promise<void> => withDialog((path) => importPath(path));

async function withDialog(take: (path: string) => Promise<boolean>): Promise<void> {
  try {
    const path = await api().pickOpen();
    if (path !== null) await take(path);
  } catch (error) {
    useSession
      .getState()
      .toast({ tone: "error", title: "The file dialog could not be opened", detail: errorMessage(error) });
  }
}
