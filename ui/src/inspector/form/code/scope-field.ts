// Finds the field whose names a form lists: the first one with a template, an expression or a script.
import type { Json } from "../../../ipc/generated/bindings";
import type { FieldSpec } from "../schema";
import { scriptLanguage } from "./script-language";

const CODE = new Set(["template", "expression", "code"]);

/**
 * Returns the path, in the node's data, of the field whose names are listed; null if the form has no such
 * field.
 */
export function scopeField(
  fields: readonly FieldSpec[],
  data: Readonly<Record<string, Json>>,
): string | null {
  for (const field of fields) {
    const value = data[field.name];
    if (CODE.has(field.widget)) return field.name;
    const hasEntry = Array.isArray(value) && value.length > 0;
    if (field.widget === "branches" && hasEntry) return `${field.name}[0].when`;
    if (field.widget === "args")
      return `${field.name}.${scriptLanguage(data.tool) === null ? "query" : "source"}`;
    const inner = field.widget === "list" && hasEntry ? field.fields.find((f) => CODE.has(f.widget)) : null;
    if (inner) return `${field.name}[0].${inner.name}`;
  }
  return null;
}
