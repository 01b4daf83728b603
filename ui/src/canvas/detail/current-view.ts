// The position of the view on the screen. While the user moves the view, xyflow would notify every card and
// wire at each step. On the overview bitmap nothing in them changes, so only the view's element is moved.
// xyflow receives the new view when the level of detail changes, before any other action, and at the end of
// the move.
import { type ReactFlowState, useStore, useStoreApi, type Viewport } from "@xyflow/react";
import { useEffect, useMemo } from "react";
import { create } from "zustand";
import type { Box } from "../../kernels/geometry";
import { type Limits, levelOf } from "./levels";

type Transform = ReactFlowState["transform"];
type View = Pick<ReactFlowState, "transform" | "width" | "height">;
type Store = ReturnType<typeof useStoreApi>;

/** The view on the screen that xyflow has not received yet; null if xyflow has the current one. */
const useDeferred = create<{ transform: Transform | null }>()(() => ({ transform: null }));

/** Returns the view as it is currently on the screen. */
export const currentTransform = (state: Pick<ReactFlowState, "transform">): Transform =>
  useDeferred.getState().transform ?? state.transform;

/** Returns a number derived from the view on the screen. */
export function useCurrentTransform(pick: (transform: Transform) => number): number {
  const deferred = useDeferred((s) => s.transform && pick(s.transform));
  const settled = useStore((s) => pick(s.transform));
  return deferred ?? settled;
}

/** Calls back when the view on the screen moves, zooms or is resized. Returns a function that stops the calls. */
export function onViewChange(
  store: { subscribe: (listener: (state: View, before: View) => void) => () => void },
  call: () => void,
): () => void {
  const stops = [
    useDeferred.subscribe(call),
    store.subscribe((state, before) => {
      const { transform, width, height } = before;
      if (state.transform !== transform || state.width !== width || state.height !== height) call();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Returns the visible area in flow coordinates. */
export const visibleArea = ({ transform: [x, y, zoom], width, height }: View): Box => ({
  left: -x / zoom,
  top: -y / zoom,
  right: (width - x) / zoom,
  bottom: (height - y) / zoom,
});

/** Returns whether xyflow must receive this view immediately. */
export function mustSettle(
  { connection, userSelectionActive, transform: settled }: ReactFlowState,
  transform: Transform,
  limits: Limits,
): boolean {
  if (connection.inProgress || userSelectionActive) return true;
  return levelOf(limits, transform[2]) !== "bitmap" || levelOf(limits, settled[2]) !== "bitmap";
}

export interface DeferredView {
  /** The props of `<ReactFlow>` that let this module set the view. */
  props: { viewport: Viewport; onViewportChange: (viewport: Viewport) => void };
  /** Called when the user starts to move the view. */
  begin: () => void;
  /** Called when the move ends; xyflow receives the view. */
  end: () => void;
}

function deferredView(store: Store) {
  // xyflow reads this object when it mounts, so the object is updated in place.
  const viewport: Viewport = { x: 0, y: 0, zoom: 1 };
  let byHand = false;
  const settleAt = (transform: Transform) => {
    store.setState({ transform });
    if (useDeferred.getState().transform) useDeferred.setState({ transform: null });
  };
  const settle = () => {
    const { transform } = useDeferred.getState();
    if (transform) settleAt(transform);
  };
  return {
    viewport,
    settle,
    change: ({ x, y, zoom }: Viewport, limits: Limits) => {
      Object.assign(viewport, { x, y, zoom });
      const state = store.getState();
      const transform: Transform = [x, y, zoom];
      if (!byHand || mustSettle(state, transform, limits)) {
        settleAt(transform);
        return;
      }
      useDeferred.setState({ transform });
      const element = state.domNode?.querySelector<HTMLElement>(".react-flow__viewport");
      // The transform has the same format as xyflow's own.
      if (element) element.style.transform = `translate(${x}px,${y}px) scale(${zoom})`;
    },
    begin: () => {
      byHand = true;
    },
    end: () => {
      byHand = false;
      settle();
    },
  };
}

/**
 * Returns the deferred view. Call it above `<ReactFlow>`, with the same `limits` object while the number of
 * nodes is unchanged.
 */
export function useDeferredView(limits: Limits): DeferredView {
  const store = useStoreApi();
  const view = useMemo(() => deferredView(store), [store]);
  // Any action other than a move of the view must start from the current view.
  useEffect(() => {
    const { settle } = view;
    const kinds = ["pointerdown", "keydown", "contextmenu", "dblclick"] as const;
    for (const kind of kinds) window.addEventListener(kind, settle, { capture: true });
    return () => {
      for (const kind of kinds) window.removeEventListener(kind, settle, { capture: true });
      useDeferred.setState({ transform: null });
    };
  }, [view]);
  return useMemo(
    () => ({
      props: {
        viewport: view.viewport,
        onViewportChange: (viewport) => view.change(viewport, limits),
      },
      begin: view.begin,
      end: view.end,
    }),
    [view, limits],
  );
}
