// Exports the open flow as a LangGraph program to a file that the user chooses, and reports what is different
// or missing in the program.
import { create } from "zustand";
import { outermost, useDocument } from "../../document/document";
import { suggestedName } from "../../document/files";
import { api, errorMessage } from "../../ipc/client";
import type { ImportEntry } from "../../ipc/generated/bindings";
import { useSession } from "../../session/session";
import { useTabs } from "../../tabs/tabs";
import { closeReport } from "../import/import";

export interface Exported {
  file: string;
  entries: readonly ImportEntry[];
}

/** The reports that are shown, keyed by tab. */
export const useExports = create<{ byTab: Readonly<Record<string, Exported>> }>()(() => ({ byTab: {} }));

export const closeExport = (tab: string): void =>
  useExports.setState((s) => {
    const { [tab]: _, ...byTab } = s.byTab;
    return { byTab };
  });

/** Returns the name of the exported Python file for a flow: `self_refine.py`. */
export function programName(flow: string): string {
  const stem = flow.replace(/(\.flow)?\.(json|loop)$/i, "").replace(/[^A-Za-z0-9]+/g, "_");
  return `${stem.replace(/^_+|_+$/g, "") || "flow"}.py`;
}

export async function exportLanggraph(): Promise<void> {
  const { toast } = useSession.getState();
  try {
    const { root, path } = outermost(useDocument.getState());
    // The export is first tried without a file, so that obstacles are reported before the user chooses one.
    await api().exportLanggraph(root, path, null);
    const chosen = await api().pickProgram(programName(suggestedName(root)));
    if (chosen === null) return;
    const file = /\.py$/i.test(chosen) ? chosen : `${chosen}.py`;
    const entries = await api().exportLanggraph(root, path, file);
    const tab = useTabs.getState().active;
    closeReport(tab);
    useExports.setState((s) => ({ byTab: { ...s.byTab, [tab]: { file, entries } } }));
    toast({ tone: "ok", title: `Exported as ${file.split(/[\\/]/).at(-1)}` });
  } catch (error) {
    toast({ tone: "error", title: "Nothing was exported", detail: errorMessage(error) });
  }
}
