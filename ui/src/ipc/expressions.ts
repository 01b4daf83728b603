// What the window asks about templates and expressions: names in scope, previews, the language's words, tools.
import type { FlowDoc, Json, Problem, ValueType } from "./generated/bindings";

/** A stretch of a text, in UTF-16 code units. */
export type Span = { from: number; to: number };
export type SpannedProblem = Problem & { span?: Span | null };
/** A field of a node, and the run whose values are wanted; without one the newest of the flow. */
export type FieldPlace = {
  node: string;
  /** A path within the node's data: `prompt`, `branches[0].when`. */
  field: string;
  runId: string | null;
  /** The path of the subflow whose flow the document is; empty for the flow of the run itself. */
  inside: string;
  /** The iteration to look at, by loop, from 1. */
  chosen: { [loop: string]: number };
};
export type FieldOfName = { written: string; last: string };
export type NameGroup = "input" | "variable" | "node" | "previous" | "loop" | "run";
export type NameInScope = {
  written: string;
  group: NameGroup;
  valueType: ValueType;
  description: string;
  node: string | null;
  mayBeMissing: boolean;
  /** The beginning of its value in the run; null: it had none. */
  last: string | null;
  fields: FieldOfName[];
};
export type SiteMode = "template" | "condition" | "expression" | "script";
export type RecordedAt = { runId: string; path: string };
export type NamesInScope = { mode: SiteMode; names: NameInScope[]; from: RecordedAt | null };
export type NameRead = { name: string; value: string | null; hasDefault: boolean; span: Span | null };
export type PreviewError = { code: string; message: string; span: Span | null };
export type ValueKind = "null" | "boolean" | "number" | "text" | "list" | "object";
export type FieldPreview = {
  mode: SiteMode;
  text: string | null;
  valueKind: ValueKind | null;
  /** The text is longer. */
  cut: boolean;
  error: PreviewError | null;
  reads: NameRead[];
  from: RecordedAt;
};
export type Word = {
  kind: "filter" | "test" | "function" | "tag" | "operator";
  name: string;
  usage: string;
  doc: string;
};
export type ToolDescription = {
  name: string;
  title: string;
  summary: string;
  args: Json;
  unavailable: string | null;
};

export interface ExpressionBackend {
  /** The words of the template language. */
  templateLanguage(): Promise<Word[]>;
  /** The names that a template at a field can read, with what they held in a recorded run. */
  namesInScope(document: FlowDoc, path: string | null, at: FieldPlace): Promise<NamesInScope>;
  /** What a field's template comes to with a recorded run's values; null where there is no such run. */
  previewField(document: FlowDoc, path: string | null, at: FieldPlace): Promise<FieldPreview | null>;
  /** The tools that a node can use, with the schemas of their arguments. */
  tools(): Promise<ToolDescription[]>;
}
