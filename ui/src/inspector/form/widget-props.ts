// What every field and every widget of the settings form gets.
import type { Json, Problem } from "../../ipc/generated/bindings";
import type { FieldSpec } from "./schema";

export type WidgetProps = {
  /** The element's id, which the field's label points to. */
  id: string;
  field: FieldSpec;
  /** Undefined where the node has no value of its own and the default holds. */
  value: Json;
  /** Undefined removes the value, so that the default holds again. */
  onChange(value: Json): void;
  /** The values beside it, for a widget whose look depends on another field. */
  data: Readonly<Record<string, Json>>;
  nodeId: string | null;
  /** Where the value stands in the node's data: `prompt`, `rules[0].when`. */
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
  focused?: boolean;
  /** Where the value stands in the node's data; a field's own name where it stands at the top. */
  place?: string;
};

export const asText = (value: Json): string => (typeof value === "string" ? value : "");
export const asNumber = (value: Json): number | null => (typeof value === "number" ? value : null);

/** A value as an object; anything else as an empty one. */
export const asObject = (value: Json): Readonly<Record<string, Json>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : {};

/** An object with one key set or taken out; an object left with nothing goes altogether. */
export function withKey(data: Readonly<Record<string, Json>>, key: string, value: Json): Json {
  const { [key]: _, ...rest } = data;
  const next = value === undefined || value === null ? rest : { ...data, [key]: value };
  return Object.keys(next).length > 0 ? next : undefined;
}
