// Which kinds make up a loop, told by what they do. Pure.
import type { KindInfo } from "../ipc/generated/bindings";

/** Whether it opens a loop, or closes one. */
export const isOfLoop = (kind: KindInfo, byType: ReadonlyMap<string, KindInfo>): boolean =>
  kind.repeats === "loop" ||
  (kind.shape === "scope_end" && byType.get(kind.pairedWith ?? "")?.repeats === "loop");
