// Recognises the kinds that form a loop by their behaviour, not by their names. Pure.
import type { KindInfo } from "../ipc/generated/bindings";

/** Returns whether a kind opens or closes a loop. */
export const isOfLoop = (kind: KindInfo, byType: ReadonlyMap<string, KindInfo>): boolean =>
  kind.repeats === "loop" ||
  (kind.shape === "scope_end" && byType.get(kind.pairedWith ?? "")?.repeats === "loop");
