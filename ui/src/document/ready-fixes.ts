// Which fixes can be offered now.
import type { Problem } from "../ipc/generated/bindings";

/**
 * The problems, without the fixes that must wait. Where nodes form a cycle, none of them is the last one, so a fix that adds a
 * node behind the last one cannot wire it, and leaves one error more than before. Once the cycle is gone it is offered.
 */
export function readyFixes(problems: readonly Problem[]): readonly Problem[] {
  if (!problems.some(({ code }) => code === "cycle")) return problems;
  const onlyAdds = ({ fix }: Problem) =>
    fix !== null && fix.edits.length > 0 && fix.edits.every(({ op }) => op === "add_node");
  return problems.map((problem) => (onlyAdds(problem) ? { ...problem, fix: null } : problem));
}
