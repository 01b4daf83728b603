// Where the view is while a hand moves it. xyflow tells every card and wire of each step, only to find that nothing of
// them changes; so it is told when something comes into view, when the flow is drawn in another way, and at the end. What is
// drawn of the flow moves meanwhile as one element.
import { type ReactFlowState, useStore, useStoreApi, type Viewport } from "@xyflow/react";
import { useEffect, useMemo } from "react";
import { create } from "zustand";
import { type Box, overlaps } from "../kernels/geometry";
import { boxOf } from "./regions";

type Transform = ReactFlowState["transform"];
type View = Pick<ReactFlowState, "transform" | "width" | "height">;

/** How far the view goes at most until xyflow is told, in pixels: wires that come into view are not looked for. */
const FURTHEST = 80;
/** How much larger or smaller, as a factor. */
const LARGEST = 1.2;
/** While the zoom changes, cards come into view in every frame: xyflow is told no more often, in milliseconds. */
const SELDOM_MS = 80;

const useHeld = create<{ transform: Transform | null }>()(() => ({ transform: null }));

/** The view as it is on the screen. */
export const liveTransform = (state: Pick<ReactFlowState, "transform">): Transform =>
  useHeld.getState().transform ?? state.transform;

/** A number of the view as it is on the screen. */
export function useLiveView(pick: (transform: Transform) => number): number {
  const held = useHeld((s) => s.transform && pick(s.transform));
  const told = useStore((s) => pick(s.transform));
  return held ?? told;
}

/** Calls when the view on the screen moves ahead of xyflow's. Returns what stops it. */
export const onLiveView = (call: () => void): (() => void) => useHeld.subscribe(call);

/** Whether xyflow has another view than before, or one of another size. */
export const isOtherView = (state: View, before: View): boolean =>
  state.transform !== before.transform || state.width !== before.width || state.height !== before.height;

/** What the view shows, in flow coordinates. */
export const seenIn = ({ transform: [x, y, zoom], width, height }: View): Box => ({
  left: -x / zoom,
  top: -y / zoom,
  right: (width - x) / zoom,
  bottom: (height - y) / zoom,
});

/** Whether a node is in view that was not when xyflow was told last. */
function somethingComes(state: ReactFlowState, transform: Transform): boolean {
  const seen = seenIn({ ...state, transform });
  const before = seenIn(state);
  for (const id of state.nodeLookup.keys()) {
    const box = boxOf(state, id);
    if (box && overlaps(box, seen) && !overlaps(box, before)) return true;
  }
  return false;
}

const isFar = ([x, y, zoom]: Transform, [wasX, wasY, before]: Transform): boolean =>
  Math.abs(x - wasX) > FURTHEST ||
  Math.abs(y - wasY) > FURTHEST ||
  zoom > before * LARGEST ||
  zoom < before / LARGEST;

export interface HeldView {
  /** What `<ReactFlow>` takes, so that the view is this module's to set. */
  props: { viewport: Viewport; onViewportChange: (viewport: Viewport) => void };
  /** A hand begins to move the view. */
  begin: () => void;
  /** xyflow is told where it is. */
  end: () => void;
}

/**
 * Call it above `<ReactFlow>`. Below a zoom of `farBelow` the flow is seen from afar; with `asBitmap` one bitmap shows its
 * cards then, wherever they are.
 */
export function useHeldView(farBelow: number, asBitmap: boolean): HeldView {
  const store = useStoreApi();
  const held = useMemo(() => {
    // One object that is kept true: xyflow reads it when it mounts, and otherwise only where it is another than before.
    const viewport: Viewport = { x: 0, y: 0, zoom: 1 };
    let byHand = false;
    let toldAt = 0;
    const tell = (transform: Transform) => {
      toldAt = performance.now();
      store.setState({ transform });
      if (useHeld.getState().transform) useHeld.setState({ transform: null });
    };
    const settle = () => {
      const { transform } = useHeld.getState();
      if (transform) tell(transform);
    };
    const mustTell = (state: ReactFlowState, transform: Transform, border: number, bitmap: boolean) => {
      if (!byHand || state.connection.inProgress || state.userSelectionActive) return true;
      const far = transform[2] < border;
      if (far !== state.transform[2] < border) return true;
      if (far && bitmap) return false;
      const zooms = transform[2] !== state.transform[2];
      if (zooms && performance.now() - toldAt < SELDOM_MS) return false;
      return isFar(transform, state.transform) || somethingComes(state, transform);
    };
    return {
      viewport,
      settle,
      change: ({ x, y, zoom }: Viewport, border: number, bitmap: boolean) => {
        Object.assign(viewport, { x, y, zoom });
        const state = store.getState();
        const transform: Transform = [x, y, zoom];
        if (mustTell(state, transform, border, bitmap)) {
          tell(transform);
          return;
        }
        useHeld.setState({ transform });
        const element = state.domNode?.querySelector<HTMLElement>(".react-flow__viewport");
        // As xyflow writes it.
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
  }, [store]);
  // Whatever is done next, it is done where the view is now.
  useEffect(() => {
    const { settle } = held;
    const kinds = ["pointerdown", "keydown", "contextmenu", "dblclick"] as const;
    for (const kind of kinds) window.addEventListener(kind, settle, { capture: true });
    return () => {
      for (const kind of kinds) window.removeEventListener(kind, settle, { capture: true });
      useHeld.setState({ transform: null });
    };
  }, [held]);
  return useMemo(
    () => ({
      props: {
        viewport: held.viewport,
        onViewportChange: (viewport) => held.change(viewport, farBelow, asBitmap),
      },
      begin: held.begin,
      end: held.end,
    }),
    [held, farBelow, asBitmap],
  );
}
