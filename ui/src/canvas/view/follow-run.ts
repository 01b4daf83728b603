// The view beside a run: until a person moves it, it follows the node that runs or waits and shows the result at the end, and a flow
// that fits stays in view whole while its cards grow.
import { useStoreApi } from "@xyflow/react";
import { type RefObject, useEffect } from "react";
import { useDocument } from "../../document/document";
import { boundsOf } from "../../kernels/geometry";
import { useActiveRun } from "../../runs";
import { useRuns } from "../../runs/session/store";
import { leadingNodes } from "../../runs/view/running";
import { useScene } from "../../scene/scene";
import { canvasView } from "../../session/canvas-view";
import { useChosenIteration } from "../../session/chosen-iteration";
import { useSession } from "../../session/session";
import { boxOf, present } from "../move/regions";
import { fitsReadable, isUnderMap } from "./fit-view";

/** How long the cards must have kept their size, in milliseconds. */
const SETTLE_DELAY_MS = 500;
/** A node that ends sooner is not followed, in milliseconds. */
const LASTS_MS = 250;
/** Room that hull and feedback lane take below the lowest card, in pixels of the flow. */
const BELOW = 64;

/** Shows the first of the nodes where none of them is seen. */
function follow(ids: readonly string[]): void {
  const view = canvasView();
  const [first] = ids;
  if (!view || first === undefined || ids.some((id) => view.isInView(id))) return;
  view.keepInView([first]);
}

/** The cards that stand for the nodes that run or wait, or that have the result. */
function leadingCards(): string[] {
  const { hiddenBy } = useScene.getState();
  return leadingNodes().map((id) => hiddenBy.get(id) ?? id);
}

/** Calls `act` once these cards have been the same for a moment. Returns what stops it. */
function onLead(act: (ids: readonly string[]) => void): () => void {
  let before = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    const ids = leadingCards();
    const key = ids.join(" ");
    if (key === before) return;
    before = key;
    clearTimeout(timer);
    timer = setTimeout(() => act(ids), LASTS_MS);
  };
  look();
  const stops = [useRuns.subscribe(look), useChosenIteration.subscribe(look)];
  return () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  };
}

/** `moved` is set by the canvas when the person moved the view. */
export function useFollowRun(moved: RefObject<boolean>): void {
  const store = useStoreApi();
  const running = useSession((s) => s.layout === "run");
  const place = useDocument((s) => s.place);
  const { runId } = useActiveRun();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another document, frame or run is followed from its beginning.
  useEffect(() => {
    moved.current = false;
    if (!running) return;
    return onLead((ids) => {
      if (!moved.current) follow(ids);
    });
  }, [running, place, runId, moved]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another document has other cards.
  useEffect(() => {
    if (!running) return;
    const bottom = () => {
      const state = store.getState();
      return boundsOf(present(state.nodes.map((node) => boxOf(state, node.id))))?.bottom ?? 0;
    };
    let last = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = store.subscribe((state, before) => {
      if (moved.current || state.nodes === before.nodes) return;
      // Measured once they are at rest, not in each frame in which they change.
      clearTimeout(timer);
      timer = setTimeout(() => {
        const lowest = bottom();
        const grown = lowest > last;
        last = lowest;
        const now = store.getState();
        if (!grown || moved.current || !fitsReadable(now)) return;
        const { transform, height } = now;
        const overEdge = (lowest + BELOW) * transform[2] + transform[1] > height;
        if (overEdge || isUnderMap(now)) canvasView()?.fitRun();
      }, SETTLE_DELAY_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [running, place, store, moved]);
}
