// The props of every field and widget of the settings form.
import type { Json, Problem } from "../../ipc/generated/bindings";
import type { FieldSpec } from "./schema";

export type WidgetProps = {
  /** The id of the widget's element, which the field's label references. */
  id: string;
  field: FieldSpec;
  /** The value; undefined if the node has none and the default applies. */
  value: Json;
  /** Sets the value. Undefined removes it, so that the default applies. */
  onChange(value: Json): void;
  /** The sibling values, for a widget that depends on another field. */
  data: Readonly<Record<string, Json>>;
  nodeId: string | null;
  /** The path of the value in the node's data, such as `prompt` or `rules[0].when`. */
  place: string;
  describedBy: string | undefined;
  invalid: boolean;
};

export type FieldProps = {
  field: FieldSpec;
  data: Readonly<Record<string, Json>>;
  onChange(value: Json): void;
  nodeId: string | null;
  problems: readonly Problem[];
  /**
   * The path of the value in the node's data. The default is the field's own name, for a field at the top
   * level.
   */
  place?: string;
};

export const asText = (value: Json): string => (typeof value === "string" ? value : "");
export const asNumber = (value: Json): number | null => (typeof value === "number" ? value : null);

/** Returns a value as an object; an empty object for any other type. */
export const asObject = (value: Json): Readonly<Record<string, Json>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : {};

/** Returns an object with several keys set or removed; undefined if it becomes empty. */
export const withKeys = (
  data: Readonly<Record<string, Json>>,
  changes: Readonly<Record<string, Json>>,
): Json =>
  Object.entries(changes).reduce<Json>((all, [key, value]) => withKey(asObject(all), key, value), data);

/** Returns an object with one key set or removed; undefined if it becomes empty. */
export function withKey(data: Readonly<Record<string, Json>>, key: string, value: Json): Json {
  const { [key]: _, ...rest } = data;
  const next = value === undefined || value === null ? rest : { ...data, [key]: value };
  return Object.keys(next).length > 0 ? next : undefined;
}
