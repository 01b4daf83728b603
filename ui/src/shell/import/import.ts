// Imports flows of other systems, each into its own tab, with a report of what became of each part.
import { create } from "zustand";
import { fileName, isDirty, useDocument } from "../../document/document";
import { openPath } from "../../document/files";
import { ApiFailure, api, errorMessage } from "../../ipc/client";
import type { Code, ImportFormat, ImportReport } from "../../ipc/generated/bindings";
import { askQuestion } from "../../session/dialog";
import { useSession } from "../../session/session";
import { openInTab, useTabs } from "../../tabs/tabs";

/** What is imported: either a file or pasted text. */
export type ImportSource =
  | { readonly path: string; readonly text?: undefined }
  | { readonly text: string; readonly path?: undefined };

/**
 * Converts a flow of another system. `from` is the id of its format, and `dialect` a dialect of that format.
 * Null means that the content decides.
 */
const importFlow = ({ path, text }: ImportSource, from: string | null, dialect: string | null) =>
  api().importFlow(path ?? null, text ?? null, null, from, dialect);

export interface Imported {
  source: ImportSource;
  report: ImportReport;
  /** The dialects of the format; empty if it has only one. */
  dialects: readonly string[];
}

/** The reports that are shown, keyed by tab. */
export const useImports = create<{ byTab: Readonly<Record<string, Imported>> }>()(() => ({ byTab: {} }));

export const closeReport = (tab: string): void =>
  useImports.setState((s) => {
    const { [tab]: _, ...byTab } = s.byTab;
    return { byTab };
  });

const nameOf = ({ path }: ImportSource): string =>
  path === undefined ? "The pasted text" : `“${fileName(path, undefined)}”`;

function complain(source: ImportSource, error: unknown): false {
  useSession.getState().toast({
    tone: "error",
    title: `${nameOf(source)} was not imported.`,
    detail: `${source.path === undefined ? "" : "The file is unchanged. "}${errorMessage(error)}`,
  });
  return false;
}

const inSentence = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);

const formats = (): Promise<readonly ImportFormat[]> => api().importFormats();

/** Asks for the format of a file whose content does not determine it. Returns null if the user cancels. */
async function askFormat(source: ImportSource, why: string): Promise<string | null> {
  const known = await formats();
  return askQuestion<string | null>({
    title: `Which format does ${inSentence(nameOf(source))} have?`,
    detail: why,
    choices: [
      ...known.map((format) => ({ label: format.title, value: format.id })),
      { label: "Cancel", value: null },
    ],
    cancel: null,
  });
}

/** Returns the displayed name of a dialect: "Logic Apps". */
export const dialectTitle = (dialect: string): string =>
  dialect.replace(/(^|-)(\w)/g, (_, dash: string, letter: string) => (dash && " ") + letter.toUpperCase());

/** Asks in which of several dialects to read a file. Returns null if the user cancels. */
function askDialect(
  source: ImportSource,
  why: string,
  dialects: readonly string[],
  usual: string | undefined,
): Promise<string | null> {
  return askQuestion<string | null>({
    title: `Which format is ${inSentence(nameOf(source))}?`,
    detail: why,
    choices: [
      ...dialects.map((dialect) => ({
        label: dialect === usual ? `${dialectTitle(dialect)} (default)` : dialectTitle(dialect),
        value: dialect,
        ...(dialect === usual ? { tone: "primary" as const } : {}),
      })),
      { label: "Cancel", value: null },
    ],
    cancel: null,
  });
}

const hasCode = (error: unknown, code: Code): error is ApiFailure =>
  error instanceof ApiFailure && error.code === code;

/**
 * Returns the dialect with which the text in the report starts; undefined if it is none of `dialects`. The
 * report may give a reason after the name.
 */
export const dialectOf = (report: ImportReport, dialects: readonly string[]): string | undefined =>
  dialects.find((dialect) => report.dialect === dialect || report.dialect?.startsWith(`${dialect}:`));

/**
 * Imports the flow of another system into a new tab. Asks only for what the content does not determine.
 * Returns false if the user cancels or the import fails.
 */
export async function importFrom(
  source: ImportSource,
  from: string | null = null,
  dialect: string | null = null,
): Promise<boolean> {
  try {
    let { document, report } = await importFlow(source, from, dialect);
    const dialects = (await formats()).find((format) => format.id === report.format)?.dialects ?? [];
    if (report.assumed && dialects.length > 1) {
      const why = `${report.title} files have several forms, and this file does not say which one it uses.`;
      const chosen = await askDialect(source, why, dialects, dialectOf(report, dialects));
      if (chosen === null) return false;
      ({ document, report } = await importFlow(source, report.format, chosen));
    }
    openInTab({ document, path: null, version: null, unsaved: true });
    useSession.getState().show("editor");
    const tab = useTabs.getState().active;
    useImports.setState((s) => ({ byTab: { ...s.byTab, [tab]: { source, report, dialects } } }));
    return true;
  } catch (error) {
    if (from === null && hasCode(error, "unknown_format")) {
      const format = await askFormat(source, error.message);
      return format === null ? false : importFrom(source, format);
    }
    if (dialect === null && hasCode(error, "ambiguous_dialect")) {
      const dialects = (await formats()).flatMap((format) => format.dialects);
      const chosen = await askDialect(source, error.message, dialects, undefined);
      return chosen === null ? false : importFrom(source, from, chosen);
    }
    return complain(source, error);
  }
}

export const importPath = (path: string): Promise<boolean> => importFrom({ path });

/**
 * Offers to import text that contains the flow of another system. Returns false if the text has no known
 * format.
 */
export async function offerImport(text: string): Promise<boolean> {
  if (text.trim() === "") return false;
  try {
    const { report } = await importFlow({ text }, null, null);
    useSession.getState().toast({
      title: "The clipboard contains a workflow from another system",
      detail: `Its format is ${report.title}. It opens in a new tab, with a report on each part.`,
      actions: [{ label: "Import it", run: () => void importFrom({ text }) }],
    });
    return true;
  } catch {
    // Most pasted text matches no format. The caller then explains what can be pasted.
    return false;
  }
}

/**
 * Imports the file of a tab again in another dialect. If edits would be lost, asks for a confirmation first.
 */
export async function readAs(tab: string, imported: Imported, dialect: string): Promise<void> {
  const edited = useDocument.getState().history.done.length > 0 && isDirty(useDocument.getState());
  if (edited) {
    const answer = await askQuestion({
      title: "Import the file again?",
      detail: "The workflow is created from the file again. Your changes since the import are lost.",
      choices: [
        { label: "Import it again", value: true, tone: "danger" },
        { label: "Cancel", value: false },
      ],
      cancel: false,
    });
    if (!answer) return;
  }
  try {
    const { document, report } = await importFlow(imported.source, imported.report.format, dialect);
    useDocument.getState().open({ document, path: null, version: null, unsaved: true });
    useImports.setState((s) => ({ byTab: { ...s.byTab, [tab]: { ...imported, report } } }));
  } catch (error) {
    complain(imported.source, error);
  }
}

/** Matches the program's own file names. */
const OURS = /\.(flow\.json|eval\.json|loop)$/i;

/**
 * Opens a file of this program, or imports any other file. Whether a plain JSON file is a flow of this
 * program is decided by its content. Returns false if nothing was opened.
 */
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
