// Which places inside a field have a field of their own: that one says what is wrong there, and not the outer one as well.
import { type ToolsState, useTools } from "../../document/tools";
import type { Json } from "../../ipc/generated/bindings";
import { type FieldSpec, fieldsOf, isShown } from "./schema";
import { asObject, asText } from "./widget-props";

/** The fields that a tool's arguments are written in; none where the tool is not known, and they are written as JSON. */
export function argumentFields(tools: ToolsState["tools"], tool: Json): FieldSpec[] {
  const found = tools?.find((t) => t.name === asText(tool));
  return found ? fieldsOf(found.args).filter((f) => f.widget !== "hidden") : [];
}

/** `data`: what the field stands in, and `value` what it holds there. */
export function useInnerPlaces(
  field: FieldSpec,
  data: Readonly<Record<string, Json>>,
  value: Json,
  place: string,
): string[] {
  const tools = useTools((s) => s.tools);
  const shownIn = (entry: Json) => field.fields.filter((f) => isShown(f, asObject(entry), field.fields));
  if (field.widget === "args") return argumentFields(tools, data.tool).map((f) => `${place}.${f.name}`);
  if (field.widget === "object") return shownIn(value).map((f) => `${place}.${f.name}`);
  if (field.widget !== "list" || !Array.isArray(value)) return [];
  return value.flatMap((entry, i) => shownIn(entry).map((f) => `${place}[${i}].${f.name}`));
}
