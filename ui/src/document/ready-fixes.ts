// Selects the fixes that can be applied now.
import type { Problem } from "../ipc/generated/bindings";

/**
 * Returns the problems, without the fixes that must wait. A fix that adds a node after the last one waits
 * while there is a cycle: a cycle has no last node, so the added node could not be wired and would cause
 * another error.
 */
export function readyFixes(problems: readonly Problem[]): readonly Problem[] {
  if (!problems.some(({ code }) => code === "cycle")) return problems;
  const onlyAdds = ({ fix }: Problem) =>
    fix !== null && fix.edits.length > 0 && fix.edits.every(({ op }) => op === "add_node");
  return problems.map((problem) => (onlyAdds(problem) ? { ...problem, fix: null } : problem));
}
