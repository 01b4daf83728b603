// Optional settings panels per node kind. A kind without an entry gets the form built from its schema.
import type { ComponentType } from "react";
import type { FieldSpec } from "../inspector/form/schema";
import type { FlowNode } from "../ipc/generated/bindings";
import { LoopPanel } from "./loop/LoopPanel";
import { SubflowPanel } from "./subflow/SubflowPanel";

export interface NodePanelProps {
  node: FlowNode;
  /** Every field of the kind's schema except the label, which is edited in the header. */
  fields: readonly FieldSpec[];
}

/** The panels that replace the form built from the schema, keyed by kind. */
export const nodePanels: Record<string, ComponentType<NodePanelProps>> = {
  loop: LoopPanel,
  subflow: SubflowPanel,
};
