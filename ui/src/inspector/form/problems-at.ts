// Which problems belong to which field.
import type { Problem } from "../../ipc/generated/bindings";

/** Whether a problem is of a field, or of a place inside it: `branches[1].when`, `limits.timeout`. */
export function isAt({ place }: Problem, field: string): boolean {
  return (
    place === field || place?.startsWith(`${field}.`) === true || place?.startsWith(`${field}[`) === true
  );
}

export function problemsAt(problems: readonly Problem[], field: string): Problem[] {
  return problems.filter((p) => isAt(p, field));
}
