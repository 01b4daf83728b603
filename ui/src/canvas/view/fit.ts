// Decides, while a wire is drawn, whether it may end at a socket, according to the engine's table of
// convertible types. The analysis validates the finished flow.
import { canConnect, useKinds } from "../../document/kinds";
import type { HandleInfo } from "../../ipc/generated/bindings";
import type { WireEnd } from "../../session/connecting";

/** Returns the reason why a wire may not join these ends; null if it may. */
export function connectionError(from: WireEnd, to: WireEnd): string | null {
  if (from.node === to.node) return "A node cannot feed itself. Put it in a loop instead.";
  if (from.output === to.output) {
    return from.output
      ? "This is an output too. A wire ends at an input."
      : "This is an input too. A wire starts at an output.";
  }
  const [source, target] = from.output ? [from.handle, to.handle] : [to.handle, from.handle];
  return typesFit(source, target)
    ? null
    : `${target.label} takes ${target.valueType}, not ${source.valueType}.`;
}

export function typesFit(source: HandleInfo, target: HandleInfo): boolean {
  return canConnect(useKinds.getState().convertible, source, target);
}
