// A code field of a node's form: the editor with the names in scope, the problems of this field, and the
// document's undo.
import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { useCallback, useMemo } from "react";
import { CodeEditor, type CodeEditorProps, type Language, type Mark } from "../../../components/CodeEditor";
import { problemsOf, useAnalysis } from "../../../document/analysis";
import { useDocument } from "../../../document/document";
import { applyEdits } from "../../../document/edits";
import type { Problem } from "../../../ipc/generated/bindings";
import { scriptCompletions, teraCompletions } from "./complete";
import { languageWords, namesAt } from "./names";
import { isScript } from "./script-language";

export const UNDO = {
  undo: () => void useDocument.getState().undo(),
  redo: () => void useDocument.getState().redo(),
};

const NOTHING: readonly Problem[] = [];

/**
 * Returns the problems in this field's text as marks for the editor. A problem without a position in the text
 * has no mark.
 */
export function marksOf(problems: readonly Problem[], place: string): Mark[] {
  return problems.flatMap((problem) => {
    if (problem.place !== place || !problem.span) return [];
    const { fix } = problem;
    return [
      {
        ...problem.span,
        severity: problem.severity,
        message: problem.message,
        ...(fix
          ? {
              fix: {
                title: fix.title,
                apply: () => useDocument.getState().edit(applyEdits(fix.edits), { label: fix.title }),
              },
            }
          : {}),
      },
    ];
  });
}

/**
 * Returns the source of completions for a field's text: the names in scope at the path `place` in the node's
 * data.
 */
export function useCompletions(nodeId: string | null, place: string, language: Language) {
  return useCallback(
    async (context: CompletionContext): Promise<CompletionResult | null> => {
      if (nodeId === null) return null;
      // Completions are optional. If they cannot be read, the field works without them.
      const found = await Promise.all([namesAt(nodeId, place), languageWords()]).catch(() => null);
      if (found === null || context.aborted) return null;
      const [names, words] = found;
      if (isScript(language)) return scriptCompletions(context, language, names);
      return teraCompletions(
        context.state.doc.toString(),
        context.pos,
        language === "template" ? "template" : "expression",
        context.explicit,
        names,
        words,
      );
    },
    [nodeId, place, language],
  );
}

type FieldCodeProps = Omit<CodeEditorProps, "marks" | "complete" | "undo"> & {
  nodeId: string | null;
  /** The path of the text in the node's data, such as `prompt` or `branches[0].when`. */
  place: string;
};

export function FieldCode({ nodeId, place, ...props }: FieldCodeProps) {
  const problems = useAnalysis((s) => (nodeId === null ? NOTHING : problemsOf(s.analysis.problems, nodeId)));
  const marks = useMemo(() => marksOf(problems, place), [problems, place]);
  const complete = useCompletions(nodeId, place, props.language);
  return (
    <CodeEditor {...props} marks={marks} complete={complete} {...(nodeId === null ? {} : { undo: UNDO })} />
  );
}
