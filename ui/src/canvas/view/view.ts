// Registers the mounted canvas, so that commands can fit, zoom and reveal nodes without access to xyflow.
import { type ReactFlowState, useReactFlow, useStoreApi } from "@xyflow/react";
import { type RefObject, useCallback, useEffect, useMemo, useRef } from "react";
import { useDocument } from "../../document/document";
import { type Box, overlaps, type Point } from "../../kernels/geometry";
import { interpolate } from "../../kernels/layered";
import { isUnfinished, shownRun, useRuns } from "../../runs/session/store";
import { useIsDockCollapsed } from "../../runs/view/dock-size";
import { leadingNodes } from "../../runs/view/running";
import { unfoldAround } from "../../scene/hidden-nodes";
import { placeUnplaced } from "../../scene/layout";
import { useScene } from "../../scene/scene";
import { canvasView, mountCanvasView, type Viewport } from "../../session/canvas-view";
import { useSession } from "../../session/session";
import { boxOf } from "../move/regions";
import { type CanvasNode, isUnseen, toBeMeasured } from "../nodes";
import { pictureOfCanvas } from "../picture/picture";
import { cameraMoves, type Moves } from "./camera-moves";
import {
  cameraBeside,
  cameraForRun,
  cameraOnAll,
  cameraToRead,
  fitOptions,
  freeSize,
  isInView,
} from "./fit-view";
import { focusCanvas, focusCard, isFocusLost } from "./focus";

/**
 * Returns the duration of a camera move in milliseconds. It is the stylesheet's value, which reduced motion
 * sets to 0.
 */
export function cameraDuration(): number {
  const value = getComputedStyle(document.documentElement).getPropertyValue("--dur-slow");
  return Number.parseFloat(value) || 0;
}

/** Registers the canvas. `moved` is true once the user moves or zooms the view. */
export function useCanvasViewMount(moved: RefObject<boolean>): void {
  const flow = useReactFlow();
  const store = useStoreApi();
  const place = useDocument((s) => s.place);
  const layout = useSession((s) => s.layout);
  const dockOpen = useSession((s) => s.dockOpen);
  const count = useDocument((s) => s.document.nodes.length);
  // Nothing can be measured while another page is shown, so changes are brought into view when the canvas is
  // visible again.
  const shown = useSession((s) => s.view === "editor");
  const placed = useRef<unknown>(null);
  const dockCollapsed = useIsDockCollapsed();
  const dock = dockOpen ? (dockCollapsed ? "line" : "open") : "closed";
  const frame = useRef({ layout, dock });
  const kept = useRef<Viewport | null>(null);
  /** The nodes to show once the document is drawn; null if no such request is pending. */
  const awaited = useRef<readonly string[] | null>(null);
  const pointer = usePointer();
  const { move, seen } = useMemo(() => cameraMoves(flow, store), [flow, store]);
  const { fitAll, fitAgain } = useFitAll(move, store, moved);

  useEffect(() => {
    const rect = () => store.getState().domNode?.getBoundingClientRect() ?? new DOMRect(0, 0, 800, 600);
    const byPerson = (act: () => void) => {
      moved.current = true;
      act();
    };
    const show = (ids: readonly string[], cameraOn: typeof cameraBeside) => {
      const state = seen();
      const camera = cameraOn(state, ids);
      const [x, y, zoom] = state.transform;
      if (!camera || (camera.x === x && camera.y === y && camera.zoom === zoom)) return;
      void move(camera, cameraDuration());
    };
    const reveal = (wanted: readonly string[]) => {
      const hidden = wanted.some((id) => useScene.getState().hiddenBy.has(id));
      const ids = hidden ? unfoldAround(wanted) : wanted;
      if (hidden) onceMeasured(store.getState, () => show(ids, cameraToRead));
      else show(ids, cameraToRead);
    };
    return mountCanvasView({
      fit: () => {
        onceMeasured(store.getState, () => byPerson(() => fitAll(cameraDuration(), "whole")));
      },
      fitRun: () => fitAll(cameraDuration()),
      zoomTo: (zoom) => byPerson(() => void flow.zoomTo(zoom, { duration: cameraDuration() / 2 })),
      zoomBy: (factor) =>
        byPerson(() => void flow.zoomTo(flow.getZoom() * factor, { duration: cameraDuration() / 3 })),
      centre: () => {
        const { left, top, width, height } = rect();
        return flow.screenToFlowPosition({ x: left + width / 2, y: top + height / 2 }, { snapToGrid: false });
      },
      toFlow: (client) => flow.screenToFlowPosition(client, { snapToGrid: false }),
      toClient: (point) => flow.flowToScreenPosition(point),
      reveal: (ids) => {
        if (placed.current === useDocument.getState().place) reveal(ids);
        else awaited.current = ids;
      },
      keepInView: (ids) => show(ids, cameraBeside),
      isInView: (id) => isInView(seen(), id),
      boxes: () => {
        const state = store.getState();
        const boxes = new Map<string, Box>();
        for (const id of state.nodeLookup.keys()) {
          const box = boxOf(state, id);
          if (box) boxes.set(id, box);
        }
        return boxes;
      },
      measureAll: () => {
        const cards = store.getState().nodes as CanvasNode[];
        if (!cards.some(isUnseen)) return null;
        flow.setNodes(cards.map(toBeMeasured));
        return new Promise((done) => {
          onceMeasured(store.getState, done);
        });
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
      freeSize: () => freeSize(store.getState()),
      pointer: () => pointer.current && flow.screenToFlowPosition(pointer.current, { snapToGrid: false }),
      focus: (id) => (id === null ? focusCanvas() : focusCard(id)),
      fitNodes: (ids) => {
        moved.current = true;
        onceMeasured(
          store.getState,
          () =>
            void flow.fitView({
              ...fitOptions(store.getState(), ids),
              nodes: ids.map((id) => ({ id })),
              duration: cameraDuration(),
            }),
        );
      },
    });
  }, [flow, store, pointer, fitAll, moved, move, seen]);

  // A newly opened document is fitted as a whole. A view stored in its file was made for a different window
  // size.
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
      frame.current = { layout, dock };
      void flow.setViewport(back);
      return;
    }
    if (useDocument.getState().document.nodes.length > 0)
      return onceMeasured(store.getState, () => {
        done();
        if (useDocument.getState().unplaced) void placeUnplaced();
        else fitAll(0);
        const wanted = awaited.current;
        awaited.current = null;
        if (wanted) requestAnimationFrame(() => canvasView()?.reveal(wanted));
      });
    done();
    // xyflow defers a fit of an empty flow until the first node arrives, which would then move from where it
    // was dropped.
    void flow.setViewport({ x: 0, y: 0, zoom: 1 });
  }, [place, shown]);

  // The focused element may disappear when a document is opened, the frame changes or a change is undone. A
  // button such as Stop or Pause disappears when the run's state changes.
  const phase = useRuns((s) => {
    const view = shownRun(s);
    return view && `${isUnfinished(view)} ${view.state.status} ${view.state.waiting.join()}`;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when one of them changes.
  useEffect(() => {
    if (shown && isFocusLost()) focusCanvas();
  }, [place, layout, count, shown, phase]);

  // The run frame and the dock change the canvas' size, so the flow is fitted again. The dock alone does not
  // override a view set by the user.
  useEffect(() => {
    if (!shown) return;
    const before = frame.current;
    frame.current = { layout, dock };
    if (before.layout !== layout) return onceMeasured(store.getState, () => fitAll(cameraDuration()));
    if (DOCK_HEIGHTS.indexOf(dock) <= DOCK_HEIGHTS.indexOf(before.dock)) return;
    return onceMeasured(store.getState, fitAgain);
  }, [layout, dock, store, shown, fitAll, fitAgain]);
}

const DOCK_HEIGHTS = ["closed", "line", "open"];

type Store = ReturnType<typeof useStoreApi>;

/** The time in milliseconds after which an unchanged window size counts as final. */
const RESIZED_MS = 150;

/** The kind of fit: the whole flow, however small, or a run at a readable size. */
type Fit = "whole" | "readable";

interface Fitting {
  fitAll: (duration: number, fit?: Fit) => void;
  /** Fits the flow again after a change of the canvas size, unless the user has moved the view. */
  fitAgain: () => void;
}

/**
 * Returns the functions that fit the flow. Also fits the flow again when the window is resized, unless the
 * user has moved the view.
 */
function useFitAll(move: Moves["move"], store: Store, moved: RefObject<boolean>): Fitting {
  const last = useRef<{ transform: readonly number[]; fit: Fit } | null>(null);
  const fitAll = useCallback(
    (duration: number, fit: Fit = "readable") => {
      const state = store.getState();
      const isRun = fit === "readable" && useSession.getState().layout === "run";
      const camera = isRun ? cameraForRun(state, leadingNodes()) : cameraOnAll(state);
      if (!camera) return;
      last.current = { transform: [camera.x, camera.y, camera.zoom], fit };
      void move(camera, duration);
    },
    [move, store],
  );
  const refit = useCallback(
    (duration: number, always: boolean) => {
      const { transform } = store.getState();
      const at = last.current;
      const isAsFitted = at?.transform.every((value, i) => Math.abs(value - (transform[i] ?? 0)) < 0.01);
      if (isAsFitted || always) fitAll(duration, at?.fit);
    },
    [store, fitAll],
  );
  const fitAgain = useCallback(() => refit(cameraDuration(), !moved.current), [refit, moved]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onResize = () => {
      clearTimeout(timer);
      timer = setTimeout(() => refit(0, false), RESIZED_MS);
    };
    window.addEventListener("resize", onResize);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("resize", onResize);
    };
  }, [refit]);
  return useMemo(() => ({ fitAll, fitAgain }), [fitAll, fitAgain]);
}

/**
 * Animates cards to new places, frame by frame, as if they were dragged. With a duration of 0, moves nothing.
 * The promise resolves at the end.
 */
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
          return at
            ? [{ id, type: "position" as const, position: interpolate(at, to, t), dragging: true }]
            : [];
        }),
      );
      if (t < 1) requestAnimationFrame(frame);
      else done();
    };
    if (duration === 0) done();
    else requestAnimationFrame(frame);
  });
}

/**
 * Returns a ref to the position of the pointer, in client pixels; null while the pointer is outside the
 * canvas.
 */
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

/** The number of frames to wait for missing measurements. After that, only the measured cards are fitted. */
const MAX_FRAMES = 90;

/**
 * Calls `act` one frame after every node has been measured at its position in the document, because xyflow
 * needs the extra frame. Returns a function that cancels the call.
 */
function onceMeasured(state: () => Pick<ReactFlowState, "nodeLookup">, act: () => void): () => void {
  let frames = 0;
  let request = requestAnimationFrame(function look() {
    const { nodes } = useDocument.getState().document;
    const { hiddenBy } = useScene.getState();
    const ready = nodes.every((node) => {
      if (hiddenBy.has(node.id)) return true;
      const box = boxOf(state(), node.id);
      return box?.left === node.position.x && box.top === node.position.y;
    });
    frames += 1;
    request = requestAnimationFrame(ready || frames > MAX_FRAMES ? act : look);
  });
  return () => cancelAnimationFrame(request);
}
