// Optional settings panels per node kind. A kind without an entry gets the form made from its schema.
import type { ComponentType } from "react";
import type { FieldSpec } from "../inspector/form/schema";
import type { FlowNode } from "../ipc/generated/bindings";
import { LoopPanel } from "./loop/LoopPanel";
import { SubflowPanel } from "./subflow/SubflowPanel";

export interface NodePanelProps {
  node: FlowNode;
  /** Every field of the kind's schema but the label, which has its place in the header. */
  fields: readonly FieldSpec[];
}

/** What takes the place of the schema's form in the settings, by kind type. */
export const nodePanels: Record<string, ComponentType<NodePanelProps>> = {
  loop: LoopPanel,
  subflow: SubflowPanel,
};
