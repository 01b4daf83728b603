// The menu that opens where a wire was dropped, or with the key A: compatible kinds first, the others dimmed
// with a reason.

import { useEffect, useMemo, useRef, useState } from "react";
import { keyText } from "../../commands/keyboard";
import { focusedNode } from "../../commands/selection";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Icon } from "../../components/Icon";
import iconTileStyles from "../../components/IconTile.module.css";
import searchListStyles from "../../components/SearchList.module.css";
import { listedSocketLook } from "../../components/socket-look";
import { usePointed } from "../../components/use-pointed";
import { useAnalysis } from "../../document/analysis";
import { type Offer, offersOf } from "../../document/build";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import type { HandleInfo } from "../../ipc/generated/bindings";
import { titleOf } from "../../kernels/node-title";
import { CARD_SIZE, SOCKET_HEIGHT } from "../../kernels/placement";
import { isBodyHandle, isFeedbackHandle } from "../../scene/wires";
import { canvasView } from "../../session/canvas-view";
import { type QuickAddRequest, useConnecting, type WireEnd } from "../../session/connecting";
import { testIds } from "../../testids";
import { colourOf } from "../kind-colour";
import { socketShape } from "../wires/Socket";
import { fitIntoWire, fittingSocket, insertAtWireEnd, insertFree, insertIntoWire } from "./insert";
import { nearness } from "./offer-search";

interface Entry {
  offer: Offer;
  /** The socket at which the wire would end; null without a wire. */
  socket: HandleInfo | null;
  /** The reason the node cannot be added here; null if it can. */
  reason: string | null;
}

/** The place of the new node: at the end of a wire, in the middle of one, or at a free place. */
type Spot = Pick<QuickAddRequest, "from" | "into">;

export function entriesFor(offers: Offer[], { from, into }: Spot, query: string): Entry[] {
  const region = from && regionOf(from);
  return offers
    .filter((offer) => nearness(offer, query) !== null)
    .map((offer): Entry => {
      if (into !== undefined) {
        return {
          offer,
          socket: null,
          reason: fitIntoWire(offer, into) ? null : "does not fit into this wire",
        };
      }
      if (!from) return { offer, socket: null, reason: null };
      if (region && offer.kind.shape === (from.output ? "output" : "input")) {
        return { offer, socket: null, reason: `belongs outside ${region}` };
      }
      const socket = fittingSocket(offer, from);
      if (socket) return { offer, socket, reason: null };
      const sockets = from.output ? offer.kind.inputs : offer.kind.outputs;
      const first = sockets.find((h) => h.primary) ?? sockets[0];
      const reason = first
        ? `${from.output ? "needs" : "outputs"} ${first.valueType}`
        : from.output
          ? "has no inputs"
          : "has no outputs";
      return { offer, socket: first ?? null, reason };
    })
    .sort((a, b) => near(a, query) - near(b, query) || Number(a.reason !== null) - Number(b.reason !== null));
}

const near = ({ offer }: Entry, query: string): number => nearness(offer, query) ?? Number.POSITIVE_INFINITY;

function placeholderOf({ from, into }: Spot): string {
  if (into !== undefined) return "Insert into the wire";
  return from ? `Add ${from.output ? "after" : "before"} “${from.handle.label}”` : "Add a node";
}

/**
 * Returns the title of the loop or list whose body contains the end of a wire; null if no body contains it.
 */
function regionOf(end: WireEnd): string | null {
  const { document } = useDocument.getState();
  const kindOf = (id: string) =>
    useKinds.getState().byType.get(document.nodes.find((node) => node.id === id)?.type ?? "");
  const kind = kindOf(end.node);
  const begins = end.output ? isBodyHandle(kind, end.handle.name) : isFeedbackHandle(kind, end.handle.name);
  const start = begins ? end.node : useAnalysis.getState().analysis.nodes[end.node]?.region;
  const node = document.nodes.find(({ id }) => id === start);
  return node ? titleOf(node) : null;
}

export function QuickAdd() {
  const request = useConnecting((s) => s.quickAdd);
  if (!request) return null;
  return <QuickAddMenu key={`${request.at.x},${request.at.y}`} request={request} />;
}

function QuickAddMenu({ request }: { request: QuickAddRequest }) {
  const { at, from, into } = request;
  const kinds = useKinds((s) => s.kinds);
  const presets = useKinds((s) => s.presets);
  const [query, setQuery] = useState("");
  /** The index among the entries that can be added; null until one is chosen. */
  const [chosen, setChosen] = useState<number | null>(null);
  const box = useRef<HTMLDivElement>(null);
  // The focused node is read before the menu's field takes the focus.
  const caller = useRef(focusedNode());
  const close = useConnecting((s) => s.closeQuickAdd);
  const pointed = usePointed();
  const entries = useMemo(
    () => entriesFor(offersOf(kinds, presets), { from, into }, query),
    [kinds, presets, from, into, query],
  );
  const usable = entries.filter((entry) => entry.reason === null);
  // If the best match cannot be added, Enter adds nothing else in its place.
  const index = chosen ?? (query.trim() !== "" && entries[0]?.reason ? -1 : 0);

  useEffect(() => {
    const away = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) close();
    };
    window.addEventListener("pointerdown", away, true);
    return () => window.removeEventListener("pointerdown", away, true);
  }, [close]);

  const add = (entry: Entry | undefined, wired = from) => {
    if (!entry || ((wired || into !== undefined) && entry.reason !== null)) return;
    close();
    const flow = canvasView()?.toFlow(at) ?? { x: 0, y: 0 };
    if (into !== undefined) {
      insertIntoWire(entry.offer, into, { x: flow.x - CARD_SIZE.width / 2, y: flow.y - SOCKET_HEIGHT });
    } else if (wired) insertAtWireEnd(entry.offer, wired, flow);
    else insertFree(entry.offer, flow);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === "Escape") {
      close();
      canvasView()?.focus(from?.node ?? caller.current);
    } else if (event.key === "Enter") add(usable[index], event.shiftKey ? null : from);
    else if (event.key === "ArrowDown") setChosen(Math.min(index + 1, usable.length - 1));
    else if (event.key === "ArrowUp") setChosen(Math.max(index - 1, 0));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  // The menu is placed inside the canvas' box and kept within its edges.
  const canvas = document.querySelector(`[data-testid="${testIds.canvas}"]`)?.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.x - (canvas?.left ?? 0), (canvas?.width ?? 800) - 274));
  const top = Math.max(8, Math.min(at.y - (canvas?.top ?? 0), (canvas?.height ?? 600) - 330));
  return (
    <div
      className={searchListStyles.popupList}
      ref={box}
      style={{ left, top }}
      data-testid={testIds.quickAdd}
      role="dialog"
      aria-label="Add a node"
    >
      <div className={searchListStyles.searchBox}>
        <Icon name="search" size={14} />
        <input
          // biome-ignore lint/a11y/noAutofocus: the user opens the menu to type, and Escape closes it.
          autoFocus
          value={query}
          placeholder={placeholderOf({ from, into })}
          aria-label="Search nodes to add"
          onChange={(event) => {
            setQuery(event.target.value);
            setChosen(null);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div className={searchListStyles.itemList}>
        {entries.map((entry) => {
          const position = usable.indexOf(entry);
          const shape = entry.socket ? socketShape(entry.socket.valueType) : "any";
          return (
            <button
              type="button"
              key={entry.offer.id}
              className={classes(
                searchListStyles.listItem,
                position === index && searchListStyles.on,
                entry.reason && searchListStyles.off,
              )}
              disabled={entry.reason !== null}
              onPointerMove={pointed(() => position >= 0 && setChosen(position))}
              onClick={() => add(entry)}
            >
              <span className={classes(iconTileStyles.iconTile, colourOf(entry.offer.kind))}>
                <Icon name={entry.offer.icon} size={13} />
              </span>
              <b>{entry.offer.title}</b>
              <span>
                {entry.reason ?? entry.offer.summary}
                {from && <i className={listedSocketLook(shape)} />}
              </span>
            </button>
          );
        })}
        {entries.length === 0 && <p className={formStyles.hint}>No node matches “{query}”.</p>}
      </div>
      <div className={searchListStyles.listFoot}>
        <span>
          <kbd>↵</kbd> {into !== undefined ? "insert" : from ? "connect" : "add"}
        </span>
        {from && (
          <span>
            <kbd>{keyText("shift+enter")}</kbd> alone
          </span>
        )}
        <span>
          <kbd>Esc</kbd> cancel
        </span>
      </div>
    </div>
  );
}
