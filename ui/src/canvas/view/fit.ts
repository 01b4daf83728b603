// Whether a wire may end at a socket, asked while it is drawn. The table of types comes from the Rust side; whether
// the finished flow is right is the analysis' to say.
import { canConnect, useKinds } from "../../document/kinds";
import type { HandleInfo } from "../../ipc/generated/bindings";
import type { WireEnd } from "../../session/connecting";

/** Null when the wire fits, else the reason in plain words. */
export function connectionError(from: WireEnd, to: WireEnd): string | null {
  if (from.node === to.node) return "A node cannot feed itself. Put it into a loop instead.";
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
