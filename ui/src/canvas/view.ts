// Registers the mounted canvas, so that commands can fit, zoom and reveal without knowing xyflow.
import { type ReactFlowState, useReactFlow, useStoreApi } from "@xyflow/react";
import { useCallback, useEffect, useRef } from "react";
import { useDocument } from "../document/document";
import { useDrawn } from "../drawn/drawn";
import { unfoldAround } from "../drawn/folds";
import { placeUnplaced } from "../drawn/layout";
import { type Box, overlaps, type Point } from "../kernels/geometry";
import { between } from "../kernels/layered";
import { isRunning, shownRun, useRuns } from "../runs/store";
import { mountCanvasView, type Viewport } from "../session/canvas-view";
import { useSession } from "../session/session";
import { fitOptions, isWellSeen, LEGIBLE } from "./fit-view";
import { focusCanvas, focusCard, isFocusLost } from "./focus";
import { pictureOfCanvas } from "./picture";
import { boxOf } from "./regions";

/** A camera move, in milliseconds; the stylesheet's value, so that reduced motion makes it 0. */
export function cameraDuration(): number {
  const value = getComputedStyle(document.documentElement).getPropertyValue("--dur-slow");
  return Number.parseFloat(value) || 0;
}

export function useCanvasViewMount(): void {
  const flow = useReactFlow();
  const store = useStoreApi();
  const place = useDocument((s) => s.place);
  const layout = useSession((s) => s.layout);
  const dockOpen = useSession((s) => s.dockOpen);
  const count = useDocument((s) => s.document.nodes.length);
  // Behind another page nothing can be measured: what changes there is brought into view when the canvas is seen again.
  const shown = useSession((s) => s.view === "editor");
  const placed = useRef<unknown>(null);
  const frame = useRef({ layout, dockOpen });
  const kept = useRef<Viewport | null>(null);
  const pointer = usePointer();
  const fitAll = useFitAll(flow, store);

  useEffect(() => {
    const rect = () => store.getState().domNode?.getBoundingClientRect() ?? new DOMRect(0, 0, 800, 600);
    return mountCanvasView({
      fit: () => {
        onceMeasured(store.getState, () => fitAll(cameraDuration()));
      },
      zoomTo: (zoom) => void flow.zoomTo(zoom, { duration: cameraDuration() / 2 }),
      zoomBy: (factor) => void flow.zoomTo(flow.getZoom() * factor, { duration: cameraDuration() / 3 }),
      centre: () => {
        const { left, top, width, height } = rect();
        return flow.screenToFlowPosition({ x: left + width / 2, y: top + height / 2 }, { snapToGrid: false });
      },
      toFlow: (client) => flow.screenToFlowPosition(client, { snapToGrid: false }),
      toClient: (point) => flow.flowToScreenPosition(point),
      reveal: (wanted) => {
        const hidden = wanted.some((id) => useDrawn.getState().hiddenBy.has(id));
        const ids = hidden ? unfoldAround(wanted) : wanted;
        const show = () => {
          if (isWellSeen(store.getState(), ids)) return;
          void flow.fitView({
            nodes: ids.map((id) => ({ id })),
            duration: cameraDuration(),
            padding: 0.4,
            minZoom: Math.min(flow.getZoom(), 1),
            maxZoom: Math.max(flow.getZoom(), LEGIBLE),
          });
        };
        if (hidden) onceMeasured(store.getState, show);
        else show();
      },
      boxes: () => {
        const state = store.getState();
        const boxes = new Map<string, Box>();
        for (const id of state.nodeLookup.keys()) {
          const box = boxOf(state, id);
          if (box) boxes.set(id, box);
        }
        return boxes;
      },
      viewport: () => flow.getViewport(),
      keepViewport: (viewport) => {
        kept.current = viewport;
      },
      socketHeight: (node, handle, output) => {
        const bounds = store.getState().nodeLookup.get(node)?.internals.handleBounds;
        const socket = bounds?.[output ? "source" : "target"]?.find(({ id }) => id === handle);
        return socket ? Math.round(socket.y + socket.height / 2) : null;
      },
      moveTo: (places) => moveTo(store, places, cameraDuration()),
      inView: (box) => {
        const { transform, width, height } = store.getState();
        const [x, y, zoom] = transform;
        const seen = {
          left: -x / zoom,
          top: -y / zoom,
          right: (width - x) / zoom,
          bottom: (height - y) / zoom,
        };
        return overlaps(box, seen);
      },
      zoom: () => flow.getZoom(),
      picture: pictureOfCanvas,
      width: () => rect().width,
      pointer: () => pointer.current && flow.screenToFlowPosition(pointer.current, { snapToGrid: false }),
      focus: (id) => (id === null ? focusCanvas() : focusCard(id)),
      fitNodes: (ids) =>
        onceMeasured(
          store.getState,
          () =>
            void flow.fitView({
              ...fitOptions(store.getState(), ids),
              nodes: ids.map((id) => ({ id })),
              duration: cameraDuration(),
            }),
        ),
    });
  }, [flow, store, pointer, fitAll]);

  // A document that takes the place of another is shown as a whole: the view its file may hold was made for a
  // window of another size.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per document, not per edit.
  useEffect(() => {
    if (!shown || placed.current === place) return;
    const done = () => {
      placed.current = place;
    };
    const back = kept.current;
    kept.current = null;
    if (back) {
      done();
      frame.current = { layout: useSession.getState().layout, dockOpen: useSession.getState().dockOpen };
      void flow.setViewport(back);
      return;
    }
    if (useDocument.getState().document.nodes.length > 0)
      return onceMeasured(store.getState, () => {
        done();
        if (useDocument.getState().unplaced) void placeUnplaced();
        else fitAll(0);
      });
    done();
    // xyflow keeps a fit of an empty flow until the first node comes, which would move it from where it was dropped.
    void flow.setViewport({ x: 0, y: 0, zoom: 1 });
  }, [place, shown]);

  // What had the focus may go with a document or a frame, or be undone; or with a state of the run, as Stop, Pause and the answer
  // to a question do.
  const phase = useRuns((s) => {
    const view = shownRun(s);
    return view && `${isRunning(view)} ${view.state.status} ${view.state.waiting.join()}`;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at when one of them has changed.
  useEffect(() => {
    if (shown && isFocusLost()) focusCanvas();
  }, [place, layout, count, shown, phase]);

  // The frame of a run, or the dock, leaves the canvas another size: the flow is brought into view again.
  useEffect(() => {
    if (!shown) return;
    const before = frame.current;
    frame.current = { layout, dockOpen };
    const smaller = dockOpen && !before.dockOpen;
    if (before.layout === layout && !smaller) return;
    return onceMeasured(store.getState, () => fitAll(cameraDuration()));
  }, [layout, dockOpen, store, shown, fitAll]);
}

type Store = ReturnType<typeof useStoreApi>;

/** A window that is being resized has come to its size when it kept it for so long, in milliseconds. */
const RESIZED_MS = 150;

/** Brings all of the flow into view; and again in a window of another size, unless somebody moved the view meanwhile. */
function useFitAll(flow: ReturnType<typeof useReactFlow>, store: Store): (duration: number) => void {
  const fitted = useRef<readonly number[] | null>(null);
  const fitAll = useCallback(
    (duration: number) => {
      void flow.fitView({ ...fitOptions(store.getState()), duration }).then(() => {
        fitted.current = store.getState().transform;
      });
    },
    [flow, store],
  );
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onResize = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const { transform } = store.getState();
        if (fitted.current?.every((value, i) => Math.abs(value - (transform[i] ?? 0)) < 0.01)) fitAll(0);
      }, RESIZED_MS);
    };
    window.addEventListener("resize", onResize);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("resize", onResize);
    };
  }, [store, fitAll]);
  return fitAll;
}

/** Moves cards a little further in each frame, as if they were dragged. */
function moveTo(store: Store, places: ReadonlyMap<string, Point>, duration: number): Promise<void> {
  const { nodes, triggerNodeChanges } = store.getState();
  const from = new Map(nodes.map((node) => [node.id, node.position]));
  const begin = performance.now();
  return new Promise((done) => {
    const frame = (now: number) => {
      const t = duration === 0 ? 1 : Math.min(1, Math.max(0, now - begin) / duration);
      triggerNodeChanges(
        [...places].flatMap(([id, to]) => {
          const at = from.get(id);
          return at ? [{ id, type: "position" as const, position: between(at, to, t), dragging: true }] : [];
        }),
      );
      if (t < 1) requestAnimationFrame(frame);
      else done();
    };
    if (duration === 0) done();
    else requestAnimationFrame(frame);
  });
}

/** Where the pointer is over the canvas, in client pixels. */
function usePointer() {
  const store = useStoreApi();
  const at = useRef<Point | null>(null);
  useEffect(() => {
    const { domNode } = store.getState();
    const move = (event: PointerEvent) => {
      at.current = { x: event.clientX, y: event.clientY };
    };
    const leave = () => {
      at.current = null;
    };
    domNode?.addEventListener("pointermove", move);
    domNode?.addEventListener("pointerleave", leave);
    return () => {
      domNode?.removeEventListener("pointermove", move);
      domNode?.removeEventListener("pointerleave", leave);
    };
  }, [store]);
  return at;
}

/** How many frames to wait for cards to be measured before fitting what there is. */
const MOST_FRAMES = 90;

/** Acts once every node has been measured at its place in the document, and one frame later, for xyflow. */
function onceMeasured(state: () => Pick<ReactFlowState, "nodeLookup">, act: () => void): () => void {
  let frames = 0;
  let request = requestAnimationFrame(function look() {
    const { nodes } = useDocument.getState().document;
    const { hiddenBy } = useDrawn.getState();
    const ready = nodes.every((node) => {
      if (hiddenBy.has(node.id)) return true;
      const box = boxOf(state(), node.id);
      return box?.left === node.position.x && box.top === node.position.y;
    });
    frames += 1;
    request = requestAnimationFrame(ready || frames > MOST_FRAMES ? act : look);
  });
  return () => cancelAnimationFrame(request);
}
