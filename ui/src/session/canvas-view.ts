// The interface through which commands use the mounted canvas. The canvas registers itself here. The rest of
// the window has no other access to the canvas.
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
  /** Shows the flow of a run at a readable size. If there is no run, shows the whole flow. */
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
   * Measures the cards that were never drawn, whose boxes are only estimates until then. Returns null if
   * there are no such cards.
   */
  measureAll(): Promise<void> | null;
  viewport(): Viewport;
  /** Makes the canvas show the next document with this viewport instead of fitting the document. */
  keepViewport(viewport: Viewport): void;
  /** Returns the distance of a socket from its card's top edge, in flow pixels; null if it is not drawn. */
  socketHeight(node: string, handle: string, output: boolean): number | null;
  /**
   * Animates cards to new positions; with reduced motion, moves them immediately. The document does not
   * change.
   */
  moveTo(places: ReadonlyMap<string, Point>): Promise<void>;
  /** Returns whether a part of a box is visible. */
  inView(box: Box): boolean;
  zoom(): number;
  /** Returns the position of the pointer in flow coordinates; null if it is not over the canvas. */
  pointer(): Point | null;
  /** Focuses a node once it is drawn; null focuses the canvas itself. */
  focus(id: string | null): void;
  /** Brings nodes into view at the largest zoom at which all of them fit. */
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
 * Calls `act` once newly added cards are drawn, and then resolves. If no canvas is shown, resolves after the
 * next draw without calling `act`.
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
