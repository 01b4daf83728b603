// The view next to a run. Until the user moves it, it follows the running or waiting node and shows the
// result at the end. A flow that fits stays completely in view while its cards grow.
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

/** The time for which the cards must keep their size, in milliseconds. */
const SETTLE_DELAY_MS = 500;
/** The minimum duration of a node that is followed, in milliseconds. */
const LASTS_MS = 250;
/** The space below the lowest card for the hull and the feedback lane, in flow pixels. */
const BELOW = 64;

/** Shows the first of the nodes if none of them is visible. */
function follow(ids: readonly string[]): void {
  const view = canvasView();
  const [first] = ids;
  if (!view || first === undefined || ids.some((id) => view.isInView(id))) return;
  view.keepInView([first]);
}

/**
 * Returns the cards of the running or waiting nodes or, at the end of the run, of the nodes with its result.
 */
function leadingCards(): string[] {
  const { hiddenBy } = useScene.getState();
  return leadingNodes().map((id) => hiddenBy.get(id) ?? id);
}

/**
 * Calls `act` with the leading cards, after each change that lasts for `LASTS_MS`. Returns a function that
 * stops the calls.
 */
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

/**
 * Makes the view follow the run. Once the user moves the view, the canvas sets `moved` and the view no longer
 * follows. The next document, run or layout resets `moved`.
 */
export function useFollowRun(moved: RefObject<boolean>): void {
  const store = useStoreApi();
  const running = useSession((s) => s.layout === "run");
  const place = useDocument((s) => s.place);
  const { runId } = useActiveRun();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another document, layout or run is followed from the beginning.
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
      // The cards are measured once their sizes are stable, not in each frame.
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
