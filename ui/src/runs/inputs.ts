// The values a person gives a run: one field per Input node, remembered per file, checked before the run starts.
import { create } from "zustand";
import { useDocument } from "../document/document";
import type { FlowDoc, FlowNode, Json, KindInfo } from "../ipc/generated/bindings";

export type InputField = {
  readonly nodeId: string;
  readonly name: string;
  readonly label: string;
  readonly dataType: "text" | "json" | "number" | "boolean" | "file";
  readonly description: string;
  readonly required: boolean;
  /** The node's own default, written as the field shows it; null where it has none. */
  readonly fallback: string | null;
};

/** The place of an input's value for the next run in the form of its node, beside the places of its settings. */
export const RUN_VALUE = "value for the next run";

const TYPES = ["text", "json", "number", "boolean", "file"] as const;

const text = (value: Json): string => (typeof value === "string" ? value : "");

/** The inputs of a document in reading order. Their shape says which kinds are inputs. */
export function inputFields(document: FlowDoc, kinds: readonly KindInfo[]): InputField[] {
  const inputs = new Set(kinds.filter((k) => k.shape === "input").map((k) => k.type));
  return document.nodes
    .filter((n) => inputs.has(n.type))
    .sort((a, b) => a.position.y - b.position.y || a.position.x - b.position.x)
    .map(toField);
}

/** The default of an Input, also under its older name; null where it has none. */
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

/** What each input of a run was, by name: what it was given, and where that was nothing, its node's default. */
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

/** A value as its field shows it: a text as it is, anything else as JSON. */
export function formatInputValue(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

export type Collected = {
  readonly inputs: Record<string, Json>;
  /** By input name: why its value cannot be used. */
  readonly errors: Record<string, string>;
};

/** Turns what was typed into the run's inputs. A field nobody touched is left to the node's default. */
export function collectInputs(
  fields: readonly InputField[],
  typed: Readonly<Record<string, string>>,
): Collected {
  const inputs: Record<string, Json> = {};
  const errors: Record<string, string> = {};
  for (const field of fields) {
    const value = typed[field.name];
    // A blank text is not a value that a run can start with, whether it was deleted or is the default. A run is refused for the same.
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

const STORE_KEY = "loopwright.runInputs";
const FILES_REMEMBERED = 40;

type Remembered = Record<string, Record<string, string>>;

function readRemembered(): Remembered {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STORE_KEY) ?? "{}");
    return typeof value === "object" && value !== null ? (value as Remembered) : {};
  } catch {
    // A damaged entry only loses what was typed before; the defaults still stand.
    return {};
  }
}

type RunInputsState = {
  /** What was typed, by file and input name. A missing entry means the default. */
  readonly typed: Remembered;
  set(file: string, name: string, value: string | null): void;
};

export const useRunInputs = create<RunInputsState>()((set, get) => ({
  typed: readRemembered(),
  set(file, name, value) {
    const { [file]: old = {}, ...rest } = get().typed;
    const { [name]: _, ...others } = old;
    const entry = value === null ? others : { ...others, [name]: value };
    // The file in hand goes last, so the ones dropped are those not touched for longest.
    const kept = Object.entries(rest).slice(-(FILES_REMEMBERED - 1));
    const typed: Remembered = { ...Object.fromEntries(kept), [file]: entry };
    localStorage.setItem(STORE_KEY, JSON.stringify(typed));
    set({ typed });
  },
}));

// A document that gets its first file, or another one, takes what was typed for it along.
useDocument.subscribe((s, before) => {
  if (s.path === before.path || s.path === null || s.generation !== before.generation) return;
  // A file that a subflow refers to takes no inputs of its own from a person.
  if (s.parents.length > 0 || before.parents.length > 0) return;
  const typed = useRunInputs.getState().typed[inputsKey(before.path, before.root)];
  for (const [name, value] of Object.entries(typed ?? {})) useRunInputs.getState().set(s.path, name, value);
});

/** Under what name the inputs of a document are remembered: its file, or its title until it has one. */
export function inputsKey(flowPath: string | null, document: FlowDoc): string {
  return flowPath ?? `unsaved:${document.name ?? ""}`;
}

const NOTHING_TYPED: Readonly<Record<string, string>> = {};

export function useTyped(file: string): Readonly<Record<string, string>> {
  return useRunInputs((s) => s.typed[file] ?? NOTHING_TYPED);
}
