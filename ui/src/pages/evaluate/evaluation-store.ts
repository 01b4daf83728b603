// The open evaluation file: its content, its problems, its cases and its flow.
import { create } from "zustand";
import { fileName, outermost, useDocument } from "../../document/document";
import { ApiFailure, api, errorMessage } from "../../ipc/client";
import type {
  CasesPreview,
  Evaluation,
  EvaluationFileInfo,
  EvaluationProblem,
  OpenedEvaluation,
} from "../../ipc/evaluation";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { askQuestion } from "../../session/dialog";
import { useSession } from "../../session/session";

/** The delay between the last key and a check, in milliseconds. */
const TYPING_MS = 300;

interface EvaluationState {
  /** The evaluation files in the folder of the edited flow. */
  files: EvaluationFileInfo[];
  opened: Pick<OpenedEvaluation, "path" | "version" | "flowPath"> | null;
  evaluation: Evaluation | null;
  /** The content of the file as last saved or read. */
  saved: Evaluation | null;
  problems: EvaluationProblem[];
  /** The cases; null while the data is being read. */
  cases: CasesPreview | null;
  casesFailure: string | null;
  /** The evaluated flow; null if the evaluation uses a template, or if the flow cannot be read. */
  flow: FlowDoc | null;
  /** Whether the settings are shown. */
  settings: boolean;
  /** Lists the evaluation files in the folder of the flow. */
  list(): Promise<void>;
  open(path: string): Promise<boolean>;
  openWithDialog(): Promise<boolean>;
  /**
   * Asks for a data file, and uses it to create an evaluation of the edited flow. Returns false if none was
   * created.
   */
  create(): Promise<boolean>;
  change(change: Partial<Evaluation>): void;
  save(): Promise<boolean>;
  /** Checks the evaluation for problems and loads its cases. */
  check(): Promise<void>;
  /**
   * Checks the current evaluation for problems. Returns false, after a message, if the check itself fails.
   */
  findProblems(): Promise<boolean>;
  showSettings(settings: boolean): void;
}

export const isChanged = ({ evaluation, saved }: Pick<EvaluationState, "evaluation" | "saved">): boolean =>
  evaluation !== saved;

function complain(title: string, error: unknown): false {
  useSession.getState().toast({ tone: "error", title, detail: errorMessage(error) });
  return false;
}

let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Returns the flow of a file: the edited one if it is open, otherwise the saved one. Null if there is no file, or if
 * it cannot be read.
 */
async function flowOf(path: string | null): Promise<FlowDoc | null> {
  if (path === null) return null;
  const editing = outermost(useDocument.getState());
  if (editing.path === path) return editing.root;
  // If the flow cannot be read, the check reports it, and the user types the names of nodes and loops.
  return api()
    .openFlow(path)
    .then(({ document }) => document)
    .catch(() => null);
}

/**
 * Asks the user to save or discard unsaved changes of the open evaluation. Returns whether it may be replaced:
 * false if the user cancels or saving fails.
 */
export async function confirmLeaveEvaluation(): Promise<boolean> {
  const state = useEvaluation.getState();
  if (state.evaluation === null || !isChanged(state)) return true;
  const answer = await askQuestion({
    title: `Save the changes to “${state.evaluation.name}”?`,
    detail: "Your changes will be lost if you don’t save them.",
    choices: [
      { label: "Save", value: "save", tone: "primary" },
      { label: "Don’t save", value: "discard", tone: "danger" },
      { label: "Cancel", value: "cancel" },
    ],
    cancel: "cancel",
  });
  return answer === "save" ? state.save() : answer === "discard";
}

export const useEvaluation = create<EvaluationState>()((set, get) => {
  const isCurrent = (evaluation: Evaluation) => get().evaluation === evaluation;
  const readCases = async () => {
    const { opened, evaluation } = get();
    if (opened === null || evaluation === null) return;
    try {
      const cases = await api().readCases(opened.path, evaluation);
      if (isCurrent(evaluation)) set({ cases, casesFailure: null });
    } catch (error) {
      if (isCurrent(evaluation)) set({ cases: null, casesFailure: errorMessage(error) });
    }
  };
  const findProblems = async () => {
    const { opened, evaluation } = get();
    if (opened === null || evaluation === null) return false;
    try {
      const problems = await api().checkEvaluation(opened.path, evaluation);
      if (isCurrent(evaluation)) set({ problems });
      return true;
    } catch (error) {
      return isCurrent(evaluation) && complain("The evaluation could not be checked", error);
    }
  };
  const take = async (
    { path, version, flowPath, evaluation, problems }: OpenedEvaluation,
    isNew: boolean,
  ) => {
    const isSame = get().opened?.path === path;
    set({
      opened: { path, version, flowPath },
      evaluation,
      saved: isNew ? null : evaluation,
      problems,
      cases: null,
      casesFailure: null,
      flow: null,
      settings: isNew || problems.length > 0 || (isSame && get().settings),
    });
    set({ flow: await flowOf(flowPath) });
    await readCases();
    return true;
  };
  return {
    files: [],
    opened: null,
    evaluation: null,
    saved: null,
    problems: [],
    cases: null,
    casesFailure: null,
    flow: null,
    settings: false,
    list: async () => {
      const { path } = outermost(useDocument.getState());
      if (path === null) return set({ files: [] });
      try {
        set({ files: await api().evaluationsBeside(path) });
      } catch (error) {
        complain("The evaluations of this flow could not be listed", error);
      }
    },
    open: async (path) => {
      if (!(await confirmLeaveEvaluation())) return false;
      try {
        return await take(await api().openEvaluation(path), false);
      } catch (error) {
        return complain("The evaluation could not be opened", error);
      }
    },
    openWithDialog: async () => {
      try {
        const path = await api().pickEvaluation();
        return path !== null && (await get().open(path));
      } catch (error) {
        return complain("The file dialog could not be opened", error);
      }
    },
    create: async () => {
      const { root, path } = outermost(useDocument.getState());
      if (path === null) {
        return complain(
          "Save the flow first",
          new Error("The evaluation is saved in the same folder as the flow."),
        );
      }
      if (!(await confirmLeaveEvaluation())) return false;
      try {
        const data = await api().pickData();
        if (data === null) return false;
        return await take(await api().newEvaluation(path, root, data), true);
      } catch (error) {
        return complain("The evaluation could not be created", error);
      }
    },
    change: (change) => {
      const { evaluation } = get();
      if (evaluation === null) return;
      set({ evaluation: { ...evaluation, ...change } });
      clearTimeout(timer);
      timer = setTimeout(() => void get().check(), TYPING_MS);
    },
    save: async () => {
      const { opened, evaluation } = get();
      if (opened === null || evaluation === null) return false;
      const write = async (expected: string | null) => {
        const { path, version } = await api().saveEvaluation(opened.path, evaluation, expected);
        set({ opened: { ...opened, path, version }, saved: evaluation });
        return true;
      };
      try {
        return await write(opened.version === "" ? null : opened.version);
      } catch (error) {
        if (!(error instanceof ApiFailure) || error.code !== "changed_on_disk")
          return complain("The evaluation was not saved", error);
      }
      const answer = await askQuestion({
        title: "Another program has changed this evaluation",
        detail: `“${fileName(opened.path, undefined)}” has changed since you opened it. Overwrite it, or reload it and lose your changes.`,
        choices: [
          { label: "Overwrite", value: "overwrite", tone: "danger" },
          { label: "Reload it", value: "reload" },
          { label: "Cancel", value: "cancel" },
        ],
        cancel: "cancel",
      });
      try {
        // Overwriting a file needs its current version, so the file is read first.
        if (answer === "overwrite") return await write((await api().openEvaluation(opened.path)).version);
        if (answer === "reload") return await take(await api().openEvaluation(opened.path), false);
        return false;
      } catch (error) {
        return complain("The evaluation was not saved", error);
      }
    },
    check: async () => {
      await Promise.all([findProblems(), readCases()]);
    },
    findProblems,
    showSettings: (settings) => set({ settings }),
  };
});
