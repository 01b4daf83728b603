// Reads a kind's JSON Schema into the fields of its form. Pure.
import type { Json } from "../../ipc/generated/bindings";

export type Widget =
  | "text"
  | "textarea"
  | "template"
  | "expression"
  | "integer"
  | "number"
  | "slider"
  | "switch"
  | "select"
  | "segmented"
  | "duration"
  | "branches"
  | "handles"
  | "provider"
  | "model"
  | "tool"
  | "schema"
  | "json"
  | "object";

export type Option = { readonly value: string; readonly label: string; readonly help: string | null };

export type FieldSpec = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly widget: Widget;
  readonly group: string | null;
  readonly showIf: { readonly field: string; readonly in: readonly Json[] } | null;
  readonly fallback: Json;
  readonly options: readonly Option[];
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly required: boolean;
  /** The fields of an object. */
  readonly fields: readonly FieldSpec[];
};

export type FieldGroup = { readonly title: string | null; readonly fields: readonly FieldSpec[] };

type Schema = { readonly [key: string]: Json };

const WIDGETS: ReadonlySet<string> = new Set<Widget>([
  "text",
  "textarea",
  "template",
  "expression",
  "integer",
  "number",
  "slider",
  "switch",
  "select",
  "segmented",
  "duration",
  "branches",
  "handles",
  "provider",
  "model",
  "tool",
  "schema",
  "json",
  "object",
] satisfies Widget[]);

/** A row of buttons holds this many characters before it needs a menu. */
const SEGMENTED_CHARACTERS = 26;

function isSchema(value: Json): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields of an object schema, in its order. */
export function fieldsOf(schema: Json): FieldSpec[] {
  const properties = isSchema(schema) ? schema.properties : undefined;
  if (!isSchema(schema) || !isSchema(properties)) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([name, property]) =>
    toField(name, isSchema(property) ? property : {}, required.includes(name)),
  );
}

function toField(name: string, property: Schema, required: boolean): FieldSpec {
  const options = optionsOf(property);
  const number = (value: Json) => (typeof value === "number" ? value : null);
  const text = (value: Json) => (typeof value === "string" ? value : null);
  return {
    name,
    title: text(property.title) ?? humanize(name),
    description: text(property.description) ?? "",
    widget: widgetOf(property, options),
    group: text(property["x-group"]),
    showIf: showIfOf(property["x-show-if"]),
    fallback: property.default ?? null,
    options,
    minimum: number(property.minimum),
    maximum: number(property.maximum),
    required,
    fields: fieldsOf(property),
  };
}

function widgetOf(property: Schema, options: readonly Option[]): Widget {
  const asked = property["x-widget"];
  if (typeof asked === "string" && WIDGETS.has(asked)) return asked as Widget;
  if (options.length > 0) {
    const characters = options.reduce((n, o) => n + o.label.length, 0);
    return options.length <= 4 && characters <= SEGMENTED_CHARACTERS ? "segmented" : "select";
  }
  switch (property.type) {
    case "boolean":
      return "switch";
    case "integer":
      return "integer";
    case "number":
      return property.minimum !== undefined && property.maximum !== undefined ? "slider" : "number";
    case "string":
      return "text";
    case "object":
      return isSchema(property.properties) ? "object" : "json";
    case "array": {
      const items = property.items;
      return isSchema(items) && items.type === "string" && items.enum === undefined ? "handles" : "json";
    }
    default:
      return "json";
  }
}

function optionsOf(property: Schema): Option[] {
  const help = isSchema(property["x-enum-help"]) ? property["x-enum-help"] : {};
  const values = Array.isArray(property.enum) ? property.enum : [];
  return values
    .filter((v): v is string => typeof v === "string")
    .map((value) => {
      const text = help[value];
      return { value, label: humanizeValue(value), help: typeof text === "string" ? text : null };
    });
}

function showIfOf(value: Json): FieldSpec["showIf"] {
  if (!isSchema(value) || typeof value.field !== "string" || !Array.isArray(value.in)) return null;
  return { field: value.field, in: value.in };
}

/** Whether a field has its place in the form, given the values of the others. */
export function isShown(
  field: FieldSpec,
  data: { readonly [name: string]: Json },
  all: readonly FieldSpec[],
): boolean {
  if (field.showIf === null) return true;
  const { field: other, in: values } = field.showIf;
  const value = data[other] ?? all.find((f) => f.name === other)?.fallback ?? null;
  return values.includes(value);
}

/** Fields under their groups, in the order in which each group comes first; those without one lead. */
export function groupFields(fields: readonly FieldSpec[]): FieldGroup[] {
  const groups = new Map<string | null, FieldSpec[]>();
  for (const field of fields) groups.set(field.group, [...(groups.get(field.group) ?? []), field]);
  return [...groups]
    .sort(([a], [b]) => (a === null ? -1 : 0) - (b === null ? -1 : 0))
    .map(([title, list]) => ({ title, fields: list }));
}

/** "maxIterations" → "Max iterations". */
export function humanize(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function humanizeValue(value: string): string {
  return value.replace(/_/g, " ");
}
