// What every widget of the settings form gets.
import type { Json } from "../../ipc/generated/bindings";
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

export const asText = (value: Json): string => (typeof value === "string" ? value : "");
export const asNumber = (value: Json): number | null => (typeof value === "number" ? value : null);

/** A value as an object; anything else as an empty one. */
export const asObject = (value: Json): Readonly<Record<string, Json>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : {};
