// Decides, while a wire is drawn, whether it may end at a socket. The type table comes from Rust, and the
// analysis validates the finished flow.
import { canConnect, useKinds } from "../../document/kinds";
import type { HandleInfo } from "../../ipc/generated/bindings";
import type { WireEnd } from "../../session/connecting";

/** Returns null if the wire fits, otherwise the reason. */
export function connectionError(from: WireEnd, to: WireEnd): string | null {
  if (from.node === to.node) return "A node cannot feed itself. Put it in a loop instead.";
  if (from.output === to.output) {
    return from.output ? "This is an output too. A wire ends at an input." : "This is an input too.";
  }
  const [source, target] = from.output ? [from.handle, to.handle] : [to.handle, from.handle];
  return typesFit(source, target)
    ? null
    : `${target.label} takes ${target.valueType}, not ${source.valueType}.`;
}

export function typesFit(source: HandleInfo, target: HandleInfo): boolean {
  return canConnect(useKinds.getState().convertible, source, target);
}
