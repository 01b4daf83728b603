// The hook through which the canvas uses this module. It is called above `<ReactFlow>`.
import { type ReactFlowState, useStore, useStoreApi } from "@xyflow/react";
import { type ReactNode, type RefObject, useLayoutEffect, useMemo } from "react";
import type { WireEdgeType } from "../wires/WireEdge";
import { useBoxesKeepSockets } from "./box-sockets";
import { useDeferredView } from "./current-view";
import { DotGrid } from "./DotGrid";
import { useDeferredSelection } from "./deferred-selection";
import { levelOf, limitsOf } from "./levels";
import { useMoves } from "./moving";
import { OverviewBitmap } from "./OverviewBitmap";
import { setOverviewShown, useElementWires } from "./overview";

interface DetailOptions {
  canvas: RefObject<HTMLElement | null>;
  nodeCount: number;
  edges: WireEdgeType[];
  /** Set to true once the user moves the view. */
  movedByHand: RefObject<boolean>;
  /** Called when a drag of nodes starts and ends. */
  onDrag: { start: () => void; stop: () => void };
}

export function useCanvasDetail({ canvas, nodeCount, edges, movedByHand, onDrag }: DetailOptions) {
  useBoxesKeepSockets();
  const limits = useMemo(() => limitsOf(nodeCount), [nodeCount]);
  const deferred = useDeferredView(limits);
  useDeferredSelection(limits.isLarge);
  const { view, drag } = useMoves(canvas, movedByHand, onDrag, deferred);
  const level = useStore((s) => levelOf(limits, s.transform[2]));
  const isBitmap = level === "bitmap";
  const store = useStoreApi();
  // The level must change together with the view. Otherwise cards that come into view are mounted in full and
  // immediately become boxes.
  useLayoutEffect(() => {
    const follow = ({ transform }: Pick<ReactFlowState, "transform">) =>
      setOverviewShown(levelOf(limits, transform[2]) === "bitmap");
    follow(store.getState());
    return store.subscribe(follow);
  }, [store, limits]);
  const elementWires = useElementWires(edges);
  const background: ReactNode = isBitmap ? <OverviewBitmap /> : <DotGrid />;
  return {
    /**
     * The attributes of the canvas element for stylesheets: whether the view is zoomed out, and whether the
     * flow has many nodes.
     */
    attributes: {
      "data-far": level === "full" ? undefined : true,
      "data-many": limits.isLarge || undefined,
    },
    /** The background of the flow. */
    background,
    edges: elementWires,
    /** Callbacks for a drag that does not use xyflow. */
    drag,
    /** The props of `<ReactFlow>`. */
    flow: {
      ...deferred.props,
      onMoveStart: view.start,
      onMove: view.move,
      onMoveEnd: view.end,
      onNodeDragStart: drag.start,
      onNodeDragStop: drag.stop,
      onSelectionDragStart: drag.start,
      onSelectionDragStop: drag.stop,
      minZoom: limits.minZoom,
      onlyRenderVisibleElements: limits.onlyVisible,
    },
  };
}
