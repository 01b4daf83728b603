// Reads a kind's JSON Schema into the fields of its form. Pure.
import type { ScriptLanguage } from "../../components/CodeEditor";
import type { Json } from "../../ipc/generated/bindings";

export type Widget =
  | "text"
  | "textarea"
  | "template"
  | "expression"
  | "code"
  | "args"
  | "hidden"
  | "integer"
  | "number"
  | "slider"
  | "switch"
  | "select"
  | "segmented"
  | "duration"
  | "names"
  | "templates"
  | "branches"
  | "handles"
  | "provider"
  | "model"
  | "tool"
  | "folder"
  | "command"
  | "agent"
  | "schema"
  | "json"
  | "list"
  | "object";

export type Option = { readonly value: string; readonly label: string; readonly help: string | null };

export type ShowIf = { readonly field: string; readonly in: readonly Json[] };

type Schema = { readonly [key: string]: Json };

export type FieldSpec = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly widget: Widget;
  readonly group: string | null;
  /**
   * The conditions under which the field is shown. One of them is enough; without conditions the field is
   * always shown.
   */
  readonly showIf: readonly ShowIf[];
  readonly fallback: Json;
  /** The defaults that replace `fallback` for certain values of another field; null if there are none. */
  readonly fallbackIf: { readonly field: string; readonly values: Schema } | null;
  readonly options: readonly Option[];
  readonly minimum: number | null;
  readonly maximum: number | null;
  /** The unit after a number, such as "tokens"; null if the field has no unit. */
  readonly unit: string | null;
  readonly required: boolean;
  /** Whether the entries of a list of names are integers. */
  readonly integers?: boolean;
  /** The language of the field's script; Luau by default. */
  readonly language?: ScriptLanguage;
  /** Whether many kinds share this setting: retries, timeout, bypass. */
  readonly common: boolean;
  /** The fields of an object, or of each entry of a list. */
  readonly fields: readonly FieldSpec[];
};

export type FieldGroup = { readonly title: string | null; readonly fields: readonly FieldSpec[] };

/** Matches the names of fields stored as ISO 8601 durations. */
const DURATION_NAMES = /^(timeout|interval|[a-z]+Timeout|[a-z]+Interval)$/;

/** The group shown first. */
const FIRST_GROUP = "Prompt";

const WIDGETS: ReadonlySet<string> = new Set<Widget>([
  "text",
  "textarea",
  "template",
  "expression",
  "code",
  "args",
  "hidden",
  "integer",
  "number",
  "slider",
  "switch",
  "select",
  "segmented",
  "duration",
  "names",
  "templates",
  "branches",
  "handles",
  "provider",
  "model",
  "tool",
  "folder",
  "command",
  "agent",
  "schema",
  "json",
  "list",
  "object",
] satisfies Widget[]);

/** The maximum number of characters in a row of buttons. Longer choices are shown as a menu. */
const SEGMENTED_CHARACTERS = 26;

function isSchema(value: Json): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the fields of an object schema, in the order of its properties. */
export function fieldsOf(schema: Json): FieldSpec[] {
  const properties = isSchema(schema) ? schema.properties : undefined;
  if (!isSchema(schema) || !isSchema(properties)) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).flatMap(([name, property]) => {
    const own = isSchema(property) ? property : {};
    // Hidden properties are older spellings of other fields: still read, but not offered.
    return own["x-hidden"] === true ? [] : [toField(name, own, required.includes(name))];
  });
}

function toField(name: string, property: Schema, required: boolean): FieldSpec {
  const options = optionsOf(property);
  const isDuration =
    property["x-format"] === "duration" ||
    (property.type === "string" && DURATION_NAMES.test(name) && property["x-widget"] === undefined);
  const number = (value: Json) => (typeof value === "number" ? value : null);
  const text = (value: Json) => (typeof value === "string" ? value : null);
  return {
    name,
    title: text(property.title) ?? humanize(name),
    description: text(property.description) ?? "",
    widget: isDuration ? "duration" : widgetOf(property, options),
    group: text(property["x-group"]),
    showIf: showIfOf(property["x-show-if"]),
    fallback: property.default ?? null,
    fallbackIf: fallbackIfOf(property["x-default-if"]),
    options,
    minimum: number(property.minimum),
    maximum: number(property.maximum),
    unit: text(property["x-unit"]),
    required,
    integers: isSchema(property.items ?? null) && (property.items as Schema).type === "integer",
    common: property["x-common"] === true,
    fields: fieldsOf(property.type === "array" ? (property.items ?? null) : property),
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
      // Step buttons suit small integers. A number of tokens is typed.
      return property["x-unit"] === undefined ? "integer" : "number";
    case "number":
      return property.minimum !== undefined && property.maximum !== undefined ? "slider" : "number";
    case "string":
      return "text";
    case "object":
      return isSchema(property.properties) ? "object" : "json";
    case "array": {
      const items = property.items;
      if (isSchema(items) && isSchema(items.properties)) return "list";
      return isSchema(items) && items.type === "string" && items.enum === undefined ? "handles" : "json";
    }
    default:
      return "json";
  }
}

function optionsOf(property: Schema): Option[] {
  const help = isSchema(property["x-enum-help"]) ? property["x-enum-help"] : {};
  const labels = isSchema(property["x-enum-labels"]) ? property["x-enum-labels"] : {};
  const values = Array.isArray(property.enum) ? property.enum : [];
  return values
    .filter((v): v is string => typeof v === "string")
    .map((value) => {
      const text = help[value];
      const label = labels[value];
      return {
        value,
        label: typeof label === "string" ? label : humanizeValue(value),
        help: typeof text === "string" ? text : null,
      };
    });
}

/** Reads the conditions of a field: one condition, or a list of conditions. Malformed ones are left out. */
function showIfOf(value: Json): FieldSpec["showIf"] {
  if (Array.isArray(value)) return value.flatMap(showIfOf);
  if (!isSchema(value) || typeof value.field !== "string" || !Array.isArray(value.in)) return [];
  return [{ field: value.field, in: value.in }];
}

function fallbackIfOf(value: Json): FieldSpec["fallbackIf"] {
  if (!isSchema(value) || typeof value.field !== "string" || !isSchema(value.values)) return null;
  return { field: value.field, values: value.values };
}

type Data = { readonly [name: string]: Json };

/**
 * Returns the effective value of a field: its own, otherwise its default, which may depend on another field.
 */
export function settingOf(name: string, data: Data, all: readonly FieldSpec[]): Json {
  const field = all.find((f) => f.name === name);
  return data[name] ?? (field ? withFallback(field, data, all).fallback : null);
}

/** Returns a field with the default that applies to these values. */
export function withFallback(field: FieldSpec, data: Data, all: readonly FieldSpec[]): FieldSpec {
  if (field.fallbackIf === null) return field;
  const other = settingOf(field.fallbackIf.field, data, all);
  const own = typeof other === "string" ? field.fallbackIf.values[other] : undefined;
  return own === undefined ? field : { ...field, fallback: own };
}

/** Returns a node's settings with the defaults of those it omits. */
export function withDefaults(data: Data, all: readonly FieldSpec[]): Data {
  return { ...data, ...Object.fromEntries(all.map(({ name }) => [name, settingOf(name, data, all)])) };
}

/** Returns whether a field is shown, which depends on the values of the other fields. */
export function isShown(field: FieldSpec, data: Data, all: readonly FieldSpec[]): boolean {
  if (field.showIf.length === 0) return true;
  return field.showIf.some((condition) => condition.in.includes(settingOf(condition.field, data, all)));
}

/**
 * Returns the fields in groups: ungrouped ones first, then the prompt, then the other groups in the schema's
 * order.
 */
export function groupFields(fields: readonly FieldSpec[]): FieldGroup[] {
  const groups = new Map<string | null, FieldSpec[]>();
  for (const field of fields) groups.set(field.group, [...(groups.get(field.group) ?? []), field]);
  const rank = (group: string | null) => (group === null ? 0 : group === FIRST_GROUP ? 1 : 2);
  return [...groups].sort(([a], [b]) => rank(a) - rank(b)).map(([title, list]) => ({ title, fields: list }));
}

/** Returns the displayed title of the setting at a path: `Branches 2 · When`. */
export function placeTitle(fields: readonly FieldSpec[], path: readonly (string | number)[]): string {
  let known = fields;
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text} ${step + 1}`;
    const field = known.find(({ name }) => name === step);
    known = field?.fields ?? [];
    const title = field?.title ?? humanize(step);
    return text === "" ? title : `${text} · ${title}`;
  }, "");
}

/** Returns the displayed title of a setting by its path in the data: `limits.budgetUsd`. */
export const settingTitle = (schema: Json, path: string): string =>
  placeTitle(fieldsOf(schema), path.split("."));

/** Returns a property name in words: "maxIterations" → "Max iterations". */
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
