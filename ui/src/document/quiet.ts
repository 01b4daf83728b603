// Hides problems about missing values or wires until the user asks for them with Validate, Run or F8. Until
// then, a node that was just added, or whose wire was just removed, shows in grey what it needs. An opened
// file shows its problems immediately.
import { create } from "zustand";
import type { Problem } from "../ipc/generated/bindings";
import { plural } from "../runs/words/format";
import { useSession } from "../session/session";
import { useAnalysis } from "./analysis";
import { useDocument } from "./document";

/** Matches the codes of problems that report unfinished work rather than mistakes. */
const LACKS =
  /^(?:missing_(?!id$)|nothing_wired$|not_wired$|no_output$|empty_region$|no_end$|end_without_start$|unused_branch$|subflow_empty$|tail_leads_nowhere$)/;

/** The fields that identify a problem. */
type Named = Pick<Problem, "code" | "node" | "place">;

const keyOf = ({ code, node, place }: Named): string => `${code}|${node}|${place}`;

export interface AskedProblems {
  /** The problems that existed when the user last asked for them, as long as they remain. */
  readonly known: ReadonlySet<string>;
  /** Whether the user asked for the problems while the analysis was still pending. */
  readonly isPending: boolean;
}

const NOTHING: AskedProblems = { known: new Set(), isPending: false };

export const useAsked = create<AskedProblems>()(() => NOTHING);

function present(): ReadonlySet<string> {
  const { analysis, whole } = useAnalysis.getState();
  return new Set([...analysis.problems, ...whole.problems].map(keyOf));
}

/** Marks all current problems as asked for, so that none is quiet. */
export function askForProblems(): void {
  const isPending = useAnalysis.getState().stale;
  useAsked.setState({ known: isPending ? new Set() : present(), isPending });
}

/** Returns whether a problem is only a missing value or wire that the user has not asked about. */
export const isQuiet = (problem: Named, { known, isPending }: AskedProblems): boolean =>
  LACKS.test(problem.code) && !isPending && !known.has(keyOf(problem));

export const loudOnes = (problems: readonly Problem[], asked: AskedProblems): Problem[] =>
  problems.filter((problem) => !isQuiet(problem, asked));

/** Returns the severity of the most severe of a node's non-quiet problems; null if there are none. */
export function severityOf(loud: readonly Problem[]): "error" | "warning" | null {
  if (loud.some(({ severity }) => severity === "error")) return "error";
  return loud.length > 0 ? "warning" : null;
}

export function useQuiet(): (problem: Named) => boolean {
  const asked = useAsked();
  return (problem) => isQuiet(problem, asked);
}

/**
 * The numbers of errors, which prevent a run, and of warnings in the whole workflow. All parts of the window
 * that count problems show this count and text.
 */
export interface ProblemCount {
  readonly errors: number;
  readonly warnings: number;
  /**
   * The count as text: "3 errors", or "3 things to fill in" while all of them are quiet. Empty if nothing
   * prevents a run.
   */
  readonly words: string;
  readonly isLoud: boolean;
}

export function countProblems(problems: readonly Problem[], asked: AskedProblems): ProblemCount {
  const errors = problems.filter(({ severity }) => severity === "error");
  const warnings = loudOnes(problems, asked).filter(({ severity }) => severity !== "error").length;
  const isLoud = errors.some((problem) => !isQuiet(problem, asked));
  const noun = isLoud
    ? plural(errors.length, "error")
    : plural(errors.length, "thing to fill in", "things to fill in");
  return { errors: errors.length, warnings, words: errors.length === 0 ? "" : noun, isLoud };
}

/** Returns the problem count of the workflow that runs. */
export function useProblemCount(): ProblemCount {
  const problems = useAnalysis((s) => s.whole.problems);
  return countProblems(problems, useAsked());
}

// An opened file shows its problems. A new workflow starts with quiet problems.
useDocument.subscribe((state, before) => {
  if (state.place === before.place) return;
  if (state.path === null) useAsked.setState(NOTHING);
  // The current analysis belongs to the previous flow.
  else useAsked.setState({ known: new Set(), isPending: true });
});

useAnalysis.subscribe((state, before) => {
  if (state.stale || (state.analysis === before.analysis && state.whole === before.whole && !before.stale))
    return;
  const { known, isPending } = useAsked.getState();
  const now = present();
  if (isPending) useAsked.setState({ known: now, isPending: false });
  // A problem that was fixed and returns is probably being worked on, so it is quiet again.
  else if ([...known].some((key) => !now.has(key)))
    useAsked.setState({ known: new Set([...known].filter((key) => now.has(key))) });
});

useSession.subscribe((state, before) => {
  const shows = (s: typeof state) => s.dockOpen && s.dockCollapsed !== true && s.dockTab === "problems";
  if (shows(state) && !shows(before)) askForProblems();
});
