// The palette: kinds and presets by category. Dragging runs on pointer events, so that touch and automated windows
// can do it too: a ghost follows and snaps to the grid; over a wire that fits, the wire lights up.
import { type PointerEvent as ReactPointerEvent, useMemo, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { Icon } from "../components/Icon";
import { type Offer, offersOf } from "../document/build";
import { useKinds } from "../document/kinds";
import type { Category } from "../ipc/generated/bindings";
import { type Point, snapPoint } from "../kernels/geometry";
import { canvasView } from "../session/canvas-view";
import { testIds } from "../testids";
import { colourOf } from "./card/NodeCard";
import { CARD_SIZE, fitIntoWire, insertAt, insertAtCentre, insertIntoWire } from "./insert";

const categories: { id: Category; title: string }[] = [
  { id: "io", title: "I/O" },
  { id: "ai", title: "AI" },
  { id: "logic", title: "Logic" },
  { id: "tools", title: "Tools" },
  { id: "flow", title: "Flow" },
];

/** The pointer must travel this far before a press becomes a drag, in pixels. */
const DRAG_START = 4;

interface Drag {
  offer: Offer;
  /** The ghost's upper left corner, in client pixels. */
  at: Point;
  zoom: number;
  /** Null outside the canvas. */
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
  for (const lit of document.querySelectorAll(".react-flow__edge.takes")) lit.classList.remove("takes");
  if (id) document.querySelector(`.react-flow__edge[data-id="${CSS.escape(id)}"]`)?.classList.add("takes");
}

function PaletteItem({ offer, onDrag }: { offer: Offer; onDrag: (drag: Drag | null) => void }) {
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
      className="pi"
      data-testid={testIds.paletteItem(offer.id)}
      title={`${offer.title}: ${offer.summary}. Drag it in, or press Enter.`}
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
      <span className={`tile ${colourOf(offer.kind)}`}>
        <Icon name={offer.icon} size={13} />
      </span>
      <b>{offer.title}</b>
      <span>{offer.summary}</span>
    </button>
  );
}

export function Palette() {
  const kinds = useKinds((s) => s.kinds);
  const presets = useKinds((s) => s.presets);
  const [query, setQuery] = useState("");
  const [closed, setClosed] = useState<ReadonlySet<Category>>(new Set());
  const [drag, setDrag] = useState<Drag | null>(null);
  const offers = useMemo(() => offersOf(kinds, presets), [kinds, presets]);
  const wanted = query.trim().toLowerCase();
  const found = offers.filter((offer) => `${offer.title} ${offer.summary}`.toLowerCase().includes(wanted));
  const toggle = (id: Category) =>
    setClosed((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  return (
    <aside className="palette" aria-label="Node palette">
      <div className="psearch">
        <Icon name="search" size={14} />
        <input
          id="palette-search"
          value={query}
          placeholder="Search nodes"
          aria-label="Search nodes"
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && found[0]) insertAtCentre(found[0]);
            if (event.key === "Escape") setQuery("");
          }}
        />
        <kbd>/</kbd>
      </div>
      <div className="plist">
        {categories.map(({ id, title }) => {
          const inCategory = found.filter((offer) => offer.kind.category === id);
          if (inCategory.length === 0) return null;
          const open = wanted !== "" || !closed.has(id);
          return (
            <section key={id}>
              <h3>
                <button type="button" aria-expanded={open} onClick={() => toggle(id)}>
                  <Icon name={open ? "chevron-down" : "chevron-right"} size={11} />
                  {title}
                </button>
                <i>{inCategory.length}</i>
              </h3>
              {open &&
                inCategory.map((offer) => <PaletteItem key={offer.id} offer={offer} onDrag={setDrag} />)}
            </section>
          );
        })}
        {found.length === 0 && (
          <p className="hint palette-none">
            Nothing is called “{query}”.{" "}
            <button type="button" className="link" onClick={() => setQuery("")}>
              Clear the search
            </button>
          </p>
        )}
      </div>
      {drag && createPortal(<Ghost drag={drag} />, document.body)}
    </aside>
  );
}

function Ghost({ drag }: { drag: Drag }) {
  const { offer, at, zoom, flow } = drag;
  return (
    <div
      className={`drag-ghost${flow ? "" : " outside"}`}
      style={{ transform: `translate(${at.x}px, ${at.y}px) scale(${zoom})`, width: CARD_SIZE.width }}
    >
      <span className={`tile ${colourOf(offer.kind)}`}>
        <Icon name={offer.icon} size={13} />
      </span>
      <b>{offer.title}</b>
    </div>
  );
}
