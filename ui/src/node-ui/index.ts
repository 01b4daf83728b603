// Optional drawings per node kind. A kind without an entry is drawn from its handles and its data alone.
import type { ComponentType } from "react";
import type { KindInfo } from "../ipc/generated/bindings";

export interface NodeBodyProps {
  id: string;
  data: Record<string, unknown>;
  kind: KindInfo;
}

/** What stands on the card between the ports and the footer while nothing runs, by kind type. */
export const nodeBodies: Record<string, ComponentType<NodeBodyProps>> = {};
