// The overview of a large flow that is zoomed out: one bitmap behind the canvas's elements, updated in each
// frame in which something moves. Moving hundreds of cards and wires as elements would take as long as
// several frames.

import { type ReactFlowState, useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { classes } from "../../components/classes";
import { problemsOf, useAnalysis } from "../../document/analysis";
import { useKinds } from "../../document/kinds";
import { loudOnes, severityOf, useAsked } from "../../document/quiet";
import type { Box } from "../../kernels/geometry";
import { shownRun, useRuns } from "../../runs/session/store";
import { useScene } from "../../scene/scene";
import { useChosenIteration } from "../../session/chosen-iteration";
import { useConnecting } from "../../session/connecting";
import { testIds } from "../../testids";
import { wireActivity } from "../activity";
import cardStyles from "../CanvasCard.module.css";
import { Colours, onThemeChange } from "../colours";
import { colourOf } from "../kind-colour";
import type { CanvasNode } from "../nodes";
import { DamageBitmap } from "./bitmap";
import { OverviewBoxes } from "./boxes";
import { currentTransform, onViewChange } from "./current-view";
import { onDragged } from "./deferred-drag";
import { groundOf } from "./ground";
import styles from "./OverviewBitmap.module.css";
import { useOverview } from "./overview";
import { type OverviewScene, WARNS } from "./paint";
import { OverviewWires } from "./wires";

/**
 * The distance at which the pointer hits a wire: in flow pixels, as for a wire element, and in screen pixels.
 */
const REACH = { flow: 9, screen: 4 };

export function OverviewBitmap() {
  const store = useStoreApi<CanvasNode>();
  const bitmap = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const ground = groundOf(bitmap.current);
    if (!ground) return;
    const { main, context } = ground;
    const colours = new Colours(main);
    const wires = new OverviewWires();
    const picture = new DamageBitmap(context, colours);
    const boxes = new OverviewBoxes();
    let from: unknown[] = [];
    let known: unknown[] = [];
    let request = 0;
    const dragged = new Set<string>();

    /**
     * Updates boxes and wires. Returns the areas in which they changed, or `null` if they may have changed
     * anywhere.
     */
    const update = (state: ReactFlowState<CanvasNode>): Box[] | null => {
      const wiresNow = useScene.getState().wires;
      const { byType } = useKinds.getState();
      const { problems } = useAnalysis.getState().analysis;
      const asked = useAsked.getState();
      const now = [wiresNow, byType, problems, asked];
      const moved = now.every((part, i) => part === from[i]) ? boxes.movedIn(state) : null;
      const ahead = [...dragged];
      dragged.clear();
      if (moved) {
        const nodes = [...moved.nodes, ...ahead];
        return [...moved.damage, ...boxes.moveTo(state, ahead), ...wires.movedNodes(state, nodes)];
      }
      from = now;
      boxes.update(state, (node) => {
        const loud = node.type === "card" ? loudOnes(problemsOf(problems, node.id), asked) : [];
        const warns = severityOf(loud) === "warning";
        return classes(cardStyles.card, colourOf(byType.get(node.data.node.type)), warns && WARNS);
      });
      wires.update(
        state,
        wiresNow.filter((wire) => wire.loop === null),
      );
      return null;
    };
    const paint = () => {
      request = 0;
      const state = store.getState();
      const damage = update(state);
      const run = shownRun(useRuns.getState())?.state ?? null;
      const choice = useChosenIteration.getState().chosen;
      const { hulls } = useOverview.getState();
      const activity: OverviewScene["activity"] = ({ edge }) =>
        wireActivity(run, choice, edge.source, edge.target);
      const now = [run, choice, hulls, colours.epoch];
      const same = now.every((part, i) => part === known[i]);
      known = now;
      picture.show(
        { boxes: boxes.byClasses, wires: wires.painted, hulls: hulls.values(), activity },
        { transform: currentTransform(state), width: state.width, height: state.height },
        same ? damage : null,
      );
    };
    const ask = () => {
      request ||= requestAnimationFrame(paint);
    };

    const lookAt = (event: PointerEvent) => {
      const target = event.target instanceof Element ? event.target : null;
      if (event.buttons !== 0 && !useConnecting.getState().from) return;
      const node = target?.closest<HTMLElement>(".react-flow__node")?.dataset.id ?? null;
      let wire: string | null = null;
      if (!node && target?.closest(".react-flow__pane")) {
        const { domNode, transform } = store.getState();
        const [x, y, zoom] = currentTransform({ transform });
        const corner = domNode?.getBoundingClientRect() ?? new DOMRect();
        const point = { x: (event.clientX - corner.x - x) / zoom, y: (event.clientY - corner.y - y) / zoom };
        wire = wires.at(point, Math.max(REACH.flow, REACH.screen / zoom), context);
      }
      const before = useOverview.getState();
      if (before.node !== node || before.wire !== wire) useOverview.setState({ node, wire });
    };
    const focused = (event: FocusEvent) => {
      const target = event.target instanceof Element ? event.target : null;
      const node = target?.closest<HTMLElement>(".react-flow__node")?.dataset.id;
      if (node !== undefined) useOverview.setState({ node });
    };

    ask();
    main.addEventListener("pointermove", lookAt);
    main.addEventListener("focusin", focused);
    const stops = [
      store.subscribe((state, before) => {
        if (state.nodes !== before.nodes) ask();
      }),
      onViewChange(store, ask),
      onDragged((ids) => {
        for (const id of ids) dragged.add(id);
        ask();
      }),
      useScene.subscribe(ask),
      useRuns.subscribe(ask),
      useChosenIteration.subscribe(ask),
      useAnalysis.subscribe(ask),
      useAsked.subscribe(ask),
      useOverview.subscribe((s, before) => {
        if (s.hulls !== before.hulls) ask();
      }),
      onThemeChange(() => {
        colours.forget();
        ask();
      }),
    ];
    return () => {
      main.removeEventListener("pointermove", lookAt);
      main.removeEventListener("focusin", focused);
      cancelAnimationFrame(request);
      for (const stop of stops) stop();
      colours.remove();
    };
  }, [store]);
  return (
    <canvas ref={bitmap} className={styles.overviewBitmap} data-testid={testIds.overviewBitmap} aria-hidden />
  );
}
