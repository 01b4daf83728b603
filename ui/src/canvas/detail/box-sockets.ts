// A card that is only a box has no sockets to measure. What xyflow measured of the whole card stays valid.
import { useStoreApi } from "@xyflow/react";
import { useState } from "react";

/** Call it above `<ReactFlow>`, which takes the function once. */
export function useBoxesKeepSockets(): void {
  const store = useStoreApi();
  useState(() => {
    const { updateNodeInternals } = store.getState();
    store.setState({
      updateNodeInternals: (updates, options) => {
        const cards = [...updates].filter(
          ([, { nodeElement }]) => !nodeElement.querySelector(":scope > .box"),
        );
        if (cards.length > 0) updateNodeInternals(new Map(cards), options);
      },
    });
  });
}
