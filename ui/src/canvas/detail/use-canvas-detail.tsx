// What the canvas takes from this module: one hook, called above `<ReactFlow>`.
import { useStore } from "@xyflow/react";
import { type ReactNode, type RefObject, useLayoutEffect, useMemo } from "react";
import type { WireEdgeType } from "../WireEdge";
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
  /** Set to true when a person moves the view. */
  movedByHand: RefObject<boolean>;
  /** Called when a drag of nodes begins and when it ends. */
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
  useLayoutEffect(() => setOverviewShown(isBitmap), [isBitmap]);
  const elementWires = useElementWires(edges);
  const background: ReactNode = isBitmap ? <OverviewBitmap /> : <DotGrid />;
  return {
    /** Classes of the canvas' element. */
    className: `${level === "full" ? "" : " far"}${limits.isLarge ? " many" : ""}`,
    /** What is drawn behind the flow. */
    background,
    edges: elementWires,
    /** What a drag that does not go through xyflow calls. */
    drag,
    /** Props of `<ReactFlow>`. */
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
