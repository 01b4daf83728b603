// What the drawing of a node kind gets.
import type { KindInfo } from "../ipc/generated/bindings";

export interface NodeBodyProps {
  id: string;
  data: Record<string, unknown>;
  kind: KindInfo;
}
