// Selects the problems that a field itself shows. If a problem is at a place inside the field, and that place
// has its own field, the inner field shows it.
import { type ToolsState, useTools } from "../../document/tools";
import type { Json, Problem } from "../../ipc/generated/bindings";
import { isAt } from "./problems-at";
import { type FieldSpec, fieldsOf, isShown } from "./schema";
import { asObject, asText } from "./widget-props";

/**
 * Returns the fields for a tool's arguments. Empty if the tool is unknown; its arguments are then edited as
 * JSON.
 */
export function argumentFields(tools: ToolsState["tools"], tool: Json): FieldSpec[] {
  const found = tools?.find((t) => t.name === asText(tool));
  return found ? fieldsOf(found.args).filter((f) => f.widget !== "hidden") : [];
}

/**
 * Returns the paths of the values inside a form field that are edited in form fields of their own. `data` is the
 * object that contains the outer field.
 */
function innerPlaces({ field, data, place }: Place, tools: ToolsState["tools"]): string[] {
  const value = data[field.name];
  const shownIn = (entry: Json) => field.fields.filter((f) => isShown(f, asObject(entry), field.fields));
  if (field.widget === "args") return argumentFields(tools, data.tool).map((f) => `${place}.${f.name}`);
  if (field.widget === "object") return shownIn(value).map((f) => `${place}.${f.name}`);
  if (field.widget !== "list" || !Array.isArray(value)) return [];
  return value.flatMap((entry, i) => shownIn(entry).map((f) => `${place}[${i}].${f.name}`));
}

type Place = { field: FieldSpec; data: Readonly<Record<string, Json>>; place: string };

/** Returns the problems at a field that no field inside it shows. */
export function useOwnProblems(at: Place, problems: readonly Problem[]): readonly Problem[] {
  const tools = useTools((s) => s.tools);
  if (problems.length === 0) return problems;
  const inner = innerPlaces(at, tools);
  return problems.filter((p) => !inner.some((place) => isAt(p, place)));
}
