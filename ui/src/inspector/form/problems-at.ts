// Which problems belong to which field.
import type { Problem } from "../../ipc/generated/bindings";

/** Problems of a field, and of places inside it: `branches[1].when`, `limits.timeout`. */
export function problemsAt(problems: readonly Problem[], field: string): Problem[] {
  return problems.filter(
    (p) => p.place === field || p.place?.startsWith(`${field}.`) || p.place?.startsWith(`${field}[`),
  );
}
