// The interface through which commands use the mounted canvas. The canvas registers itself; the rest of the
// window has no other access to it.
import type { Box, Point } from "../kernels/geometry";

/** The visible part of the flow, in xyflow's format. */
export interface Viewport {
  x: number;
  y: number;
  zoom: number;
}

/** A picture format of the flow: bitmap or vector. */
export type PictureForm = "png" | "svg";

export interface CanvasView {
  /** Shows the whole flow. */
  fit(): void;
  /** Shows a run's flow at a readable size. Without a run it shows the whole flow. */
  fitRun(): void;
  zoomTo(zoom: number): void;
  zoomBy(factor: number): void;
  /** Returns the centre of the visible area, in flow coordinates. */
  centre(): Point;
  toFlow(client: Point): Point;
  toClient(flow: Point): Point;
  /** Brings nodes into view at a readable size, and unfolds what hides them. */
  reveal(ids: readonly string[]): void;
  /** Brings the nodes into view with the smallest possible move, at the same zoom. */
  keepInView(ids: readonly string[]): void;
  /** Returns whether a node's whole card is visible. */
  isInView(id: string): boolean;
  /** Returns the boxes of drawn nodes. Nodes not drawn yet are left out. */
  boxes(): ReadonlyMap<string, Box>;
  /**
   * Measures the cards that have never been seen; until then their `boxes` are estimates. Returns null if
   * there are no such cards.
   */
  measureAll(): Promise<void> | null;
  viewport(): Viewport;
  /** Shows the next document with this viewport instead of fitting it. */
  keepViewport(viewport: Viewport): void;
  /** Returns the distance of a socket from its card's top edge, in flow pixels; null if it is not drawn. */
  socketHeight(node: string, handle: string, output: boolean): number | null;
  /**
   * Animates cards to new places, or moves them immediately with reduced motion. The document is not changed.
   */
  moveTo(places: ReadonlyMap<string, Point>): Promise<void>;
  /** Returns whether a part of a box is visible. */
  inView(box: Box): boolean;
  zoom(): number;
  /** Returns the position of the pointer in flow coordinates; null if it is not over the canvas. */
  pointer(): Point | null;
  /** Focuses a node once it is drawn; null focuses the canvas itself. */
  focus(id: string | null): void;
  /** Brings nodes into view at the largest zoom at which they fit. */
  fitNodes(ids: readonly string[]): void;
  /** Returns the bytes of an image file of the whole flow; null if nothing is drawn. */
  picture(form: PictureForm): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Returns the size of the part of the canvas that no panel covers, in pixels. */
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

/**
 * Calls `act` once newly added cards are drawn, and resolves after that. If no canvas is shown, resolves
 * after the next draw.
 */
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

/** Brings newly added nodes into view with the smallest possible move. */
export const showAdded = (ids: readonly string[]): void => void afterNextDraw((view) => view.keepInView(ids));
