// The props of the body of a node kind.
import type { KindInfo } from "../ipc/generated/bindings";

export interface NodeBodyProps {
  id: string;
  data: Record<string, unknown>;
  kind: KindInfo;
}
