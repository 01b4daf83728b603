// Selects the fixes that can be offered now.
import type { Problem } from "../ipc/generated/bindings";

/**
 * Returns the problems without fixes that must wait. In a cycle no node is the last one, so a fix that adds a
 * node after the last one could not wire it and would add an error. It is offered once the cycle is gone.
 */
export function readyFixes(problems: readonly Problem[]): readonly Problem[] {
  if (!problems.some(({ code }) => code === "cycle")) return problems;
  const onlyAdds = ({ fix }: Problem) =>
    fix !== null && fix.edits.length > 0 && fix.edits.every(({ op }) => op === "add_node");
  return problems.map((problem) => (onlyAdds(problem) ? { ...problem, fix: null } : problem));
}
