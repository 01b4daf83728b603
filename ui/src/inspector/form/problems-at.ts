// Maps problems to fields.
import type { Problem } from "../../ipc/generated/bindings";

/**
 * Returns whether a problem is at a field or inside it. `field` is a path such as `branches[1].when` or
 * `limits.timeout`.
 */
export function isAt({ place }: Problem, field: string): boolean {
  return (
    place === field || place?.startsWith(`${field}.`) === true || place?.startsWith(`${field}[`) === true
  );
}

export function problemsAt(problems: readonly Problem[], field: string): Problem[] {
  return problems.filter((p) => isAt(p, field));
}
