// The input values the user enters for a run: one field per Input node, validated before the run starts.
import type { FlowDoc, FlowNode, Json, KindInfo } from "../../ipc/generated/bindings";

export type InputField = {
  readonly nodeId: string;
  readonly name: string;
  readonly label: string;
  readonly dataType: "text" | "json" | "number" | "boolean" | "file";
  readonly description: string;
  readonly required: boolean;
  /** The node's own default as its field shows it; null if it has none. */
  readonly fallback: string | null;
};

/** The name under which a node's form shows the input's value for the next run. */
export const RUN_VALUE = "value for the next run";

const TYPES = ["text", "json", "number", "boolean", "file"] as const;

const text = (value: Json): string => (typeof value === "string" ? value : "");

/**
 * Returns the inputs of a document in reading order. A node is an input if its kind has the shape "input".
 */
export function inputFields(document: FlowDoc, kinds: readonly KindInfo[]): InputField[] {
  const inputs = new Set(kinds.filter((k) => k.shape === "input").map((k) => k.type));
  return document.nodes
    .filter((n) => inputs.has(n.type))
    .sort((a, b) => a.position.y - b.position.y || a.position.x - b.position.x)
    .map(toField);
}

/** Returns the default value of an Input node, including one in the legacy field; null if it has none. */
const defaultOf = (data: FlowNode["data"]): Json => data.default ?? data.defaultValue ?? null;

function toField(node: FlowNode): InputField {
  const { data } = node;
  const name = text(data.name) || node.id;
  const fallback = defaultOf(data);
  return {
    nodeId: node.id,
    name,
    label: text(data.label) || name,
    dataType: TYPES.find((t) => t === data.dataType) ?? "text",
    description: text(data.description),
    required: data.required === true,
    fallback: fallback === null ? null : formatInputValue(fallback),
  };
}

/**
 * Returns the values that a run uses for its inputs, by name: the supplied value, otherwise the node's
 * default.
 */
export function inputsInEffect(
  document: FlowDoc,
  kinds: readonly KindInfo[],
  typed: Readonly<Record<string, Json>>,
): Record<string, Json> {
  const nodes = new Map(document.nodes.map((node) => [node.id, node]));
  const defaults = inputFields(document, kinds).flatMap(({ nodeId, name }) => {
    const value = defaultOf(nodes.get(nodeId)?.data ?? {});
    return value === null ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(defaults), ...typed };
}

/** Formats a value as its field shows it: text unchanged, anything else as JSON. */
export function formatInputValue(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

export type Collected = {
  readonly inputs: Record<string, Json>;
  /** Why each invalid value is rejected, by input name. */
  readonly errors: Record<string, string>;
};

/** Parses the text typed in each field into the run's inputs. An untouched field uses the node's default. */
export function collectInputs(
  fields: readonly InputField[],
  typed: Readonly<Record<string, string>>,
): Collected {
  const inputs: Record<string, Json> = {};
  const errors: Record<string, string> = {};
  for (const field of fields) {
    const value = typed[field.name];
    // Blank text, typed or default, cannot start a run. The engine refuses it too.
    const text = value ?? field.fallback;
    const isText = field.dataType === "text" || field.dataType === "file";
    if (field.required && (text === null || (isText && text.trim() === ""))) {
      errors[field.name] = `${field.label} needs a value.`;
      continue;
    }
    if (value === undefined) continue;
    const read = readValue(field, value);
    if ("error" in read) errors[field.name] = read.error;
    else inputs[field.name] = read.value;
  }
  return { inputs, errors };
}

function readValue(field: InputField, value: string): { value: Json } | { error: string } {
  switch (field.dataType) {
    case "text":
      return { value };
    case "file":
      return value.trim() === "" ? { error: `${field.label} needs the path of a file.` } : { value };
    case "number": {
      const n = Number(value);
      return value.trim() === "" || !Number.isFinite(n)
        ? { error: `${field.label} must be a number, for example 3 or 0.5.` }
        : { value: n };
    }
    case "boolean":
      return value === "true" || value === "false"
        ? { value: value === "true" }
        : { error: `${field.label} must be true or false.` };
    case "json":
      try {
        return { value: JSON.parse(value) };
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return { error: `${field.label} is not valid JSON: ${why}` };
      }
  }
}
