// Cards grow while a run fills them. Until the person moves the view, a run's flow is kept inside it: when it has
// grown over the edge, or under the minimap, and stood still for a moment, it is fitted again.
import { useStoreApi } from "@xyflow/react";
import { type RefObject, useEffect } from "react";
import { useDocument } from "../document/document";
import { boundsOf } from "../kernels/geometry";
import { canvasView } from "../session/canvas-view";
import { useSession } from "../session/session";
import { isUnderMap } from "./fit-view";
import { boxOf, present } from "./regions";

/** How long the cards must have kept their size, in milliseconds. */
const SETTLED_MS = 500;
/** Room that hull and feedback lane take below the lowest card, in pixels of the flow. */
const BELOW = 64;

/** `moved` is set by the canvas when the person moved the view. */
export function useKeepInView(moved: RefObject<boolean>): void {
  const store = useStoreApi();
  const running = useSession((s) => s.layout === "run");
  const place = useDocument((s) => s.place);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another document or another frame starts anew.
  useEffect(() => {
    moved.current = false;
    if (!running) return;
    const bottom = () => {
      const state = store.getState();
      return boundsOf(present(state.nodes.map((node) => boxOf(state, node.id))))?.bottom ?? 0;
    };
    let last = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = store.subscribe((state, before) => {
      if (moved.current || state.nodes === before.nodes) return;
      const now = bottom();
      const grown = now > last;
      last = now;
      if (!grown) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (moved.current) return;
        const { transform, height } = store.getState();
        const overEdge = (bottom() + BELOW) * transform[2] + transform[1] > height;
        if (overEdge || isUnderMap(store.getState())) canvasView()?.fit();
      }, SETTLED_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [running, place, store, moved]);
}
