// A large flow seen from afar, as one bitmap behind the canvas' own elements: hundreds of cards and wires as elements cost
// several frames' time to move. It is painted anew in every frame in which something of it moved.
import { type ReactFlowState, useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { useAnalysis } from "../document/analysis";
import { useKinds } from "../document/kinds";
import { useDrawn } from "../drawn/drawn";
import type { Box } from "../kernels/geometry";
import { shownRun, useRuns } from "../runs/store";
import { useChosenIteration } from "../session/chosen-iteration";
import { useConnecting } from "../session/connecting";
import { wireActivity } from "./activity";
import { colourOf } from "./card/NodeCard";
import { Colours, IN_MEMORY, onThemeChange } from "./colours";
import { useFar } from "./far";
import { type FarScene, paintFar } from "./far-paint";
import { FarWires } from "./far-scene";
import type { CanvasNode } from "./nodes";
import { boxOf } from "./regions";

/** How near the pointer must come to a wire: in pixels of the flow, as to one drawn as itself, and of the screen. */
const REACH = { flow: 9, screen: 4 };

export function FarPicture() {
  const store = useStoreApi<CanvasNode>();
  const bitmap = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = bitmap.current;
    const main = canvas?.closest<HTMLElement>(".canvas");
    // Nothing shines through: it is copied to the window, not blended with it.
    const context = canvas?.getContext("2d", { ...IN_MEMORY, alpha: false });
    if (!canvas || !main || !context) return;
    const colours = new Colours(main, "react-flow__edge");
    const wires = new FarWires();
    let from: unknown[] = [];
    let scene: Pick<FarScene, "boxes" | "wires"> = { boxes: new Map(), wires: [] };
    let request = 0;

    const update = (state: ReactFlowState<CanvasNode>) => {
      const drawn = useDrawn.getState().wires;
      const { byType } = useKinds.getState();
      const now = [state.nodes, drawn, byType];
      if (now.every((part, i) => part === from[i])) return;
      from = now;
      const boxes = new Map<string, Box[]>();
      for (const node of state.nodes) {
        const box = node.type === "card" || node.type === "fold" ? boxOf(state, node.id) : null;
        if (!box) continue;
        const classes = `node ${colourOf(byType.get(node.data.node.type))}`;
        const alike = boxes.get(classes);
        if (alike) alike.push(box);
        else boxes.set(classes, [box]);
      }
      scene = {
        boxes,
        wires: wires.update(
          state,
          drawn.filter((wire) => wire.loop === null),
        ),
      };
    };
    const paint = () => {
      request = 0;
      const state = store.getState();
      update(state);
      const density = window.devicePixelRatio;
      const [width, height] = [Math.round(state.width * density), Math.round(state.height * density)];
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
      const run = shownRun(useRuns.getState())?.state ?? null;
      const choice = useChosenIteration.getState().chosen;
      const activity: FarScene["activity"] = ({ edge }) =>
        wireActivity(run, choice, edge.source, edge.target);
      paintFar(context, { ...scene, hulls: useFar.getState().hulls.values(), activity }, state, colours);
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
        const [x, y, zoom] = transform;
        const corner = domNode?.getBoundingClientRect() ?? new DOMRect();
        const point = { x: (event.clientX - corner.x - x) / zoom, y: (event.clientY - corner.y - y) / zoom };
        wire = wires.at(point, Math.max(REACH.flow, REACH.screen / zoom), context);
      }
      const before = useFar.getState();
      if (before.node !== node || before.wire !== wire) useFar.setState({ node, wire });
    };
    const focused = (event: FocusEvent) => {
      const target = event.target instanceof Element ? event.target : null;
      const node = target?.closest<HTMLElement>(".react-flow__node")?.dataset.id;
      if (node !== undefined) useFar.setState({ node });
    };

    ask();
    main.addEventListener("pointermove", lookAt);
    main.addEventListener("focusin", focused);
    const stops = [
      store.subscribe((state, before) => {
        if (
          state.nodes !== before.nodes ||
          state.transform !== before.transform ||
          state.width !== before.width ||
          state.height !== before.height
        )
          ask();
      }),
      useDrawn.subscribe(ask),
      useRuns.subscribe(ask),
      useChosenIteration.subscribe(ask),
      useAnalysis.subscribe(ask),
      useFar.subscribe((s, before) => {
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
  return <canvas ref={bitmap} className="far-picture" aria-hidden />;
}
