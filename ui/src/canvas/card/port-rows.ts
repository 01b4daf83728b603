// Decides which sockets are in a card's rows. Unwired sockets are shown only on demand.
import { useMemo } from "react";
import type { HandleInfo, KindInfo } from "../../ipc/generated/bindings";
import { useScene } from "../../scene/scene";
import { isInRow, type NodeHandles } from "../../scene/wires";

export interface PortRows {
  main: NodeHandles;
  extra: NodeHandles;
  /**
   * A key composed of all socket names in order. If it changes, sockets have moved and the card must be measured
   * again.
   */
  key: string;
}

const names = (handles: readonly HandleInfo[]): string => handles.map((handle) => handle.name).join(" ");

/** Returns the sockets of a card, paired into rows. If the kind is unknown, all its sockets are in rows. */
export function usePortRows(
  node: string,
  inputs: readonly HandleInfo[],
  outputs: readonly HandleInfo[],
  kind: KindInfo | undefined,
): PortRows {
  // The selector returns a string, so that the card re-renders only when one of its own sockets changes.
  const shown = useScene(({ connected }) =>
    [
      ...inputs.map((handle) => isInRow(kind, node, handle, false, connected)),
      ...outputs.map((handle) => isInRow(kind, node, handle, true, connected)),
    ]
      .map(Number)
      .join(""),
  );
  return useMemo(() => {
    const pick = (wanted: string): NodeHandles => ({
      inputs: inputs.filter((_, i) => shown[i] === wanted),
      outputs: outputs.filter((_, i) => shown[inputs.length + i] === wanted),
    });
    const [main, extra] = [pick("1"), pick("0")];
    const key = [main.inputs, main.outputs, extra.inputs, extra.outputs].map(names).join(" | ");
    return { main, extra, key };
  }, [inputs, outputs, shown]);
}
