// What is not filled in or wired yet is no alarm: a node that was just added, or whose wire was just taken out, is said to need something
// in grey, until somebody asks for the problems by Validate, Run or F8. Files that are opened show theirs at once.
import { create } from "zustand";
import type { Problem } from "../ipc/generated/bindings";
import { plural } from "../runs/words/format";
import { useSession } from "../session/session";
import { useAnalysis } from "./analysis";
import { useDocument } from "./document";

/** The codes of what a workflow lacks while it is built, rather than of what is wrong with it. */
const LACKS =
  /^(?:missing_(?!id$)|nothing_wired$|not_wired$|no_output$|empty_region$|no_end$|end_without_start$|unused_branch$|subflow_empty$|tail_leads_nowhere$)/;

/** A problem, by what tells it from the others. */
type Named = Pick<Problem, "code" | "node" | "place">;

const keyOf = ({ code, node, place }: Named): string => `${code}|${node}|${place}`;

export interface AskedProblems {
  /** The problems that were there when somebody asked last, as long as they stay. */
  readonly known: ReadonlySet<string>;
  /** Somebody asked, and the answer is still out. */
  readonly isPending: boolean;
}

const NOTHING: AskedProblems = { known: new Set(), isPending: false };

export const useAsked = create<AskedProblems>()(() => NOTHING);

function present(): ReadonlySet<string> {
  const { analysis, whole } = useAnalysis.getState();
  return new Set([...analysis.problems, ...whole.problems].map(keyOf));
}

/** Everything that is there now is shown as what it is. */
export function askForProblems(): void {
  const isPending = useAnalysis.getState().stale;
  useAsked.setState({ known: isPending ? new Set() : present(), isPending });
}

/** Whether a problem is only that something is not filled in or wired yet, of which nobody asked. */
export const isQuiet = (problem: Named, { known, isPending }: AskedProblems): boolean =>
  LACKS.test(problem.code) && !isPending && !known.has(keyOf(problem));

export const loudOnes = (problems: readonly Problem[], asked: AskedProblems): Problem[] =>
  problems.filter((problem) => !isQuiet(problem, asked));

/** The class of what shows a node with these problems that are not quiet: by the gravest. */
export function severityClass(loud: readonly Problem[]): "has-error" | "has-warning" | "" {
  if (loud.some(({ severity }) => severity === "error")) return "has-error";
  return loud.length > 0 ? "has-warning" : "";
}

export function useQuiet(): (problem: Named) => boolean {
  const asked = useAsked();
  return (problem) => isQuiet(problem, asked);
}

/** What keeps the whole workflow from running, and what it should be warned of: the same number and words wherever they are said. */
export interface ProblemCount {
  readonly errors: number;
  readonly warnings: number;
  /** "3 errors", or "3 things to fill in" as long as nobody asked for them; empty where nothing is in the way. */
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

/** The problems of the workflow that a run is of. */
export function useProblemCount(): ProblemCount {
  const problems = useAnalysis((s) => s.whole.problems);
  return countProblems(problems, useAsked());
}

// A file has what it has; what is new is filled in first.
useDocument.subscribe((state, before) => {
  if (state.place === before.place) return;
  if (state.path === null) useAsked.setState(NOTHING);
  // What is known by now is of what was shown before.
  else useAsked.setState({ known: new Set(), isPending: true });
});

useAnalysis.subscribe((state, before) => {
  if (state.stale || (state.analysis === before.analysis && state.whole === before.whole && !before.stale))
    return;
  const { known, isPending } = useAsked.getState();
  const now = present();
  if (isPending) useAsked.setState({ known: now, isPending: false });
  // What was mended and is lacking again is what somebody is at.
  else if ([...known].some((key) => !now.has(key)))
    useAsked.setState({ known: new Set([...known].filter((key) => now.has(key))) });
});

useSession.subscribe((state, before) => {
  const shows = (s: typeof state) => s.dockOpen && s.dockCollapsed !== true && s.dockTab === "problems";
  if (shows(state) && !shows(before)) askForProblems();
});
