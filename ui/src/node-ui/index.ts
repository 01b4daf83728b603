// Optional bodies per node kind. A kind without an entry is drawn from its handles and data alone.
import type { ComponentType } from "react";
import {
  AggregatorBody,
  ApprovalBody,
  CheckBody,
  IteratorBody,
  OutputBody,
  RouterBody,
  SubflowBody,
  ToolBody,
  TransformBody,
  ValidatorBody,
} from "./bodies";
import { InputBody } from "./InputBody";
import { LlmBody } from "./LlmBody";
import { NoteBody } from "./NoteBody";
import type { NodeBodyProps } from "./node-body";

/** For each kind, the component that a card shows between its ports and its footer while nothing runs. */
export const nodeBodies: Record<string, ComponentType<NodeBodyProps>> = {
  input: InputBody,
  output: OutputBody,
  llm: LlmBody,
  router: RouterBody,
  transform: TransformBody,
  validator: ValidatorBody,
  check: CheckBody,
  approval: ApprovalBody,
  iterator: IteratorBody,
  aggregator: AggregatorBody,
  tool: ToolBody,
  subflow: SubflowBody,
  note: NoteBody,
};

const LINE = 27;
/** The height of a body with a one-line prompt and a model, in pixels. */
const PROMPT = 85;

/** Returns the approximate height of a body that has not been drawn yet, in pixels. */
export function bodyHeight(type: string): number {
  if (!(type in nodeBodies)) return 0;
  return type === "llm" ? PROMPT : LINE;
}
