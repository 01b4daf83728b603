// What commands may ask of the canvas while it is mounted. The canvas registers itself; nothing else of it is
// visible to the rest of the window.
import type { Box, Point } from "../kernels/geometry";

/** Which part of the flow is seen, in xyflow's terms. */
export interface Viewport {
  x: number;
  y: number;
  zoom: number;
}

/** A picture of the flow: painted in pixels, or drawn in lines. */
export type PictureForm = "png" | "svg";

export interface CanvasView {
  /** Shows the whole flow. */
  fit(): void;
  /** Shows a run's flow at a size that can be read. Without a run it shows the whole flow. */
  fitRun(): void;
  zoomTo(zoom: number): void;
  zoomBy(factor: number): void;
  /** The middle of what is visible, in flow coordinates. */
  centre(): Point;
  toFlow(client: Point): Point;
  toClient(flow: Point): Point;
  /** Brings nodes into view, large enough to be read, and unfolds what hides them. */
  reveal(ids: readonly string[]): void;
  /** Moves the view by as little as shows the nodes, at the same zoom. */
  keepInView(ids: readonly string[]): void;
  /** Whether all of a node's card is seen. */
  isInView(id: string): boolean;
  /** Where nodes stand, as drawn; nodes not drawn yet are left out. */
  boxes(): ReadonlyMap<string, Box>;
  /** Measures the cards that nobody has seen; until then `boxes` says about how large they are. Null where none is left to be measured. */
  measureAll(): Promise<void> | null;
  viewport(): Viewport;
  /** Shows the document that comes next at this place, instead of the whole of it. */
  keepViewport(viewport: Viewport): void;
  /** How far below its card's upper edge a socket stands, in pixels of the flow; null where it is not drawn. */
  socketHeight(node: string, handle: string, output: boolean): number | null;
  /** Moves cards to new places before the eye; at once where motion is reduced. The document does not know of it. */
  moveTo(places: ReadonlyMap<string, Point>): Promise<void>;
  /** Whether some of a box is visible. */
  inView(box: Box): boolean;
  zoom(): number;
  /** Where the pointer is, in flow coordinates; null while it is elsewhere. */
  pointer(): Point | null;
  /** Gives a node the keyboard's focus, once it is drawn; null gives it to the canvas itself. */
  focus(id: string | null): void;
  /** Brings nodes into view as large as they fit. */
  fitNodes(ids: readonly string[]): void;
  /** The bytes of a file that shows the whole flow; null where nothing is drawn. */
  picture(form: PictureForm): Promise<Uint8Array<ArrayBuffer> | null>;
  /** The size of what nothing lies over, in pixels. */
  freeSize(): { width: number; height: number };
}

let mounted: CanvasView | null = null;

export function mountCanvasView(view: CanvasView): () => void {
  mounted = view;
  return () => {
    if (mounted === view) mounted = null;
  };
}

export function canvasView(): CanvasView | null {
  return mounted;
}

/** Calls `act` once the cards that were just added are drawn. Returns after it, or after the draw where no canvas is shown. */
export function afterNextDraw(act: (view: CanvasView) => void): Promise<void> {
  return new Promise((done) => {
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (mounted) act(mounted);
        done();
      }),
    );
  });
}

/** Moves the view by as little as shows the nodes that were just added. */
export const showAdded = (ids: readonly string[]): void => void afterNextDraw((view) => view.keepInView(ids));
