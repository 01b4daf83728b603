// Optional drawings per node kind. A kind without an entry is drawn from its handles and its data alone.
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

/** What stands on the card between the ports and the footer while nothing runs, by kind type. */
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
