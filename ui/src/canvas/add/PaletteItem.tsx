// One entry of the palette, and its ghost while it is dragged. Dragging uses pointer events, so that it works
// with touch and in automated windows. The ghost snaps to the grid, and a compatible wire under it is
// highlighted.

import { type PointerEvent as ReactPointerEvent, useRef } from "react";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import iconTileStyles from "../../components/IconTile.module.css";
import { tip } from "../../components/tip";
import type { Offer } from "../../document/build";
import { type Point, snapPoint } from "../../kernels/geometry";
import { CARD_SIZE } from "../../kernels/placement";
import { canvasView } from "../../session/canvas-view";
import { testIds } from "../../testids";
import { colourOf } from "../kind-colour";
import { fitIntoWire, insertAt, insertAtCentre, insertIntoWire } from "./insert";
import styles from "./PaletteItem.module.css";

/** The distance in pixels after which a press becomes a drag. */
const DRAG_START = 4;

export interface Drag {
  offer: Offer;
  /** The ghost's top left corner, in client pixels. */
  at: Point;
  zoom: number;
  /** The position in flow coordinates; null outside the canvas. */
  flow: Point | null;
  wire: string | null;
}

function elementAt(at: Point, selector: string): Element | null {
  for (const element of document.elementsFromPoint(at.x, at.y)) {
    const found = element.closest(selector);
    if (found) return found;
  }
  return null;
}

function dragAt(offer: Offer, client: Point): Drag {
  const view = canvasView();
  const overCanvas = elementAt(client, `[data-testid="${testIds.canvas}"]`) !== null;
  if (!view || !overCanvas) return { offer, at: client, zoom: 1, flow: null, wire: null };
  const pointer = view.toFlow(client);
  const flow = snapPoint({ x: pointer.x - CARD_SIZE.width / 2, y: pointer.y - 17 });
  const origin = view.toClient(flow);
  const zoom = (view.toClient({ x: flow.x + 100, y: flow.y }).x - origin.x) / 100;
  const wire = elementAt(client, ".react-flow__edge")?.getAttribute("data-id") ?? null;
  return { offer, at: origin, zoom, flow, wire: wire && fitIntoWire(offer, wire) ? wire : null };
}

function lightWire(id: string | null): void {
  for (const lit of document.querySelectorAll("[data-takes]")) lit.removeAttribute("data-takes");
  const wire = id && document.querySelector(`.react-flow__edge[data-id="${CSS.escape(id)}"]`);
  if (wire) wire.setAttribute("data-takes", "");
}

type PaletteItemProps = {
  offer: Offer;
  /** Whether Enter in the search adds this entry. */
  isNext: boolean;
  onDrag: (drag: Drag | null) => void;
};

export function PaletteItem({ offer, isNext, onDrag }: PaletteItemProps) {
  const pressed = useRef<Point | null>(null);
  const dragging = useRef(false);
  const end = () => {
    pressed.current = null;
    dragging.current = false;
    lightWire(null);
    onDrag(null);
  };
  const move = (event: ReactPointerEvent) => {
    if (!pressed.current) return;
    const client = { x: event.clientX, y: event.clientY };
    const far = Math.hypot(client.x - pressed.current.x, client.y - pressed.current.y) >= DRAG_START;
    if (!dragging.current && !far) return;
    dragging.current = true;
    const drag = dragAt(offer, client);
    lightWire(drag.wire);
    onDrag(drag);
  };
  const drop = (event: ReactPointerEvent) => {
    if (dragging.current) {
      const drag = dragAt(offer, { x: event.clientX, y: event.clientY });
      if (drag.flow && drag.wire) insertIntoWire(offer, drag.wire, drag.flow);
      else if (drag.flow) insertAt(offer, drag.flow);
    }
    end();
  };
  return (
    <button
      type="button"
      className={classes(styles.paletteItem, isNext && styles.next)}
      data-testid={testIds.paletteItem(offer.id)}
      {...tip(`${offer.title}: ${offer.summary}. Drag it in, or press Enter.`)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        pressed.current = { x: event.clientX, y: event.clientY };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={move}
      onPointerUp={drop}
      onPointerCancel={end}
      onDoubleClick={() => insertAtCentre(offer)}
      onKeyDown={(event) => {
        if (event.key === "Escape") end();
        if (event.key !== "Enter") return;
        event.preventDefault();
        insertAtCentre(offer);
      }}
    >
      <Icon name="grip-vertical" size={11} />
      <span className={classes(iconTileStyles.iconTile, colourOf(offer.kind))}>
        <Icon name={offer.icon} size={13} />
      </span>
      <b>{offer.title}</b>
      <span className={styles.summary}>{offer.summary}</span>
      {isNext && <kbd>↵</kbd>}
    </button>
  );
}

export function DragGhost({ drag }: { drag: Drag }) {
  const { offer, at, zoom, flow } = drag;
  return (
    <div
      className={classes(styles.dragGhost, !flow && styles.outside)}
      style={{ transform: `translate(${at.x}px, ${at.y}px) scale(${zoom})`, width: CARD_SIZE.width }}
    >
      <span className={classes(iconTileStyles.iconTile, colourOf(offer.kind))}>
        <Icon name={offer.icon} size={13} />
      </span>
      <b>{offer.title}</b>
    </div>
  );
}
