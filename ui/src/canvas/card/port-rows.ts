// Which sockets of a card stand in its rows, and which are shown only when somebody looks for them: those nothing is wired to.
import { useMemo } from "react";
import type { HandleInfo, KindInfo } from "../../ipc/generated/bindings";
import { useScene } from "../../scene/scene";
import { isInRow, type NodeHandles } from "../../scene/wires";

export interface PortRows {
  main: NodeHandles;
  extra: NodeHandles;
  /** Names every socket in its order: another key means that sockets stand elsewhere. */
  key: string;
}

const names = (handles: readonly HandleInfo[]): string => handles.map((handle) => handle.name).join(" ");

/** All sockets are in the rows where the kind is not known. */
export function usePortRows(
  node: string,
  inputs: readonly HandleInfo[],
  outputs: readonly HandleInfo[],
  kind: KindInfo | undefined,
): PortRows {
  // A text, so that the card is drawn again only when one of its own sockets changed.
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
