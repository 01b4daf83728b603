// Keeps socket positions for cards drawn as boxes. A box has no sockets to measure, so xyflow's measurements
// of the full card stay valid.
import { useStoreApi } from "@xyflow/react";
import { useState } from "react";

/**
 * Makes xyflow keep the socket positions of boxes. Call it above `<ReactFlow>`, which reads the function only
 * once.
 */
export function useBoxesKeepSockets(): void {
  const store = useStoreApi();
  useState(() => {
    const { updateNodeInternals } = store.getState();
    store.setState({
      updateNodeInternals: (updates, options) => {
        const cards = [...updates].filter(
          ([, { nodeElement }]) => !nodeElement.querySelector(":scope > [data-box]"),
        );
        if (cards.length > 0) updateNodeInternals(new Map(cards), options);
      },
    });
  });
}
