// Connects nodes by keyboard: the key C on a node lists all compatible wires from it and to it, and Enter
// adds one.

import { useEffect, useMemo, useRef, useState } from "react";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Icon } from "../../components/Icon";
import iconTileStyles from "../../components/IconTile.module.css";
import searchListStyles from "../../components/SearchList.module.css";
import { listedSocketLook } from "../../components/socket-look";
import { usePointed } from "../../components/use-pointed";
import { analyzeNow, useAnalysis } from "../../document/analysis";
import { newEdge } from "../../document/build";
import { useDocument, useFlowNode } from "../../document/document";
import { useKind, useKinds } from "../../document/kinds";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { titleIn, titleOf } from "../../kernels/node-title";
import { reachableNodes } from "../../kernels/reach";
import { handlesNow } from "../../scene/scene";
import { isFeedbackHandle } from "../../scene/wires";
import { canvasView } from "../../session/canvas-view";
import { useConnecting, type WireEnd } from "../../session/connecting";
import { colourOf } from "../kind-colour";
import { connectionError } from "../view/fit";
import { putWire } from "./put-wire";
import { socketShape } from "./Socket";

export interface Connection {
  from: WireEnd;
  to: WireEnd;
}

type FeedsBack = (node: string, handle: string | null | undefined) => boolean;

function feedbackOf(document: FlowDoc): FeedsBack {
  const { byType } = useKinds.getState();
  const types = new Map(document.nodes.map(({ id, type }) => [id, type]));
  return (node, handle) => isFeedbackHandle(byType.get(types.get(node) ?? ""), handle ?? "");
}

/**
 * Returns all possible new wires from or to a node. Outgoing ones come before incoming ones, and main sockets
 * before others. Unlikely wires come last: those that form a cycle without feedback, and feedback wires that
 * close no cycle.
 */
export function connectionsOf(document: FlowDoc, id: string): Connection[] {
  const taken = new Set(
    document.edges.map((e) => `${e.source}|${e.sourceHandle}|${e.target}|${e.targetHandle}`),
  );
  const ends = (node: string, output: boolean): WireEnd[] => {
    const { inputs, outputs } = handlesNow(node);
    const ordered = [...(output ? outputs : inputs)].sort((a, b) => Number(b.primary) - Number(a.primary));
    return ordered.map((handle) => ({ node, handle, output }));
  };
  const all = (output: boolean) => document.nodes.flatMap((node) => ends(node.id, output));
  const between = (starts: readonly WireEnd[], targets: readonly WireEnd[]): Connection[] =>
    starts.flatMap((from) =>
      targets.flatMap((to) =>
        connectionError(from, to) === null &&
        !taken.has(`${from.node}|${from.handle.name}|${to.node}|${to.handle.name}`)
          ? [{ from, to }]
          : [],
      ),
    );
  const coming = between(all(true), ends(id, false)).filter(({ from }) => from.node !== id);
  const feedsBack = feedbackOf(document);
  const onward = document.edges.filter((edge) => !feedsBack(edge.target, edge.targetHandle));
  const before = reachableNodes(onward, id, "to");
  const downstream = reachableNodes(onward, id, "from");
  const isOdd = ({ from, to }: Connection): boolean => {
    const closes = from.node === id ? before.has(to.node) : downstream.has(from.node);
    return closes !== feedsBack(to.node, to.handle.name);
  };
  const found = [...between(ends(id, true), all(false)), ...coming];
  return found.sort((a, b) => Number(isOdd(a)) - Number(isOdd(b)));
}

/** Returns whether the text contains each of the words. */
export const hasWords = (text: string, words: string): boolean => {
  const lower = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
};

/**
 * Returns the text that the search matches for a connection: the titles of its nodes (of the target only if
 * `node` is the source), and the names of both sockets.
 */
function wordsOf(document: FlowDoc, node: string, { from, to }: Connection): string {
  const other = from.node === node ? "" : titleIn(document, from.node);
  return `${other} ${from.handle.label} ${titleIn(document, to.node)} ${to.handle.label}`;
}

const matching = (document: FlowDoc, node: string, all: readonly Connection[], query: string) =>
  all.filter((one) => hasWords(wordsOf(document, node, one), query.trim()));

export function ConnectMenu() {
  const node = useConnecting((s) => s.connectFrom);
  return node === null ? null : <Menu key={node} node={node} />;
}

function Menu({ node }: { node: string }) {
  const document_ = useDocument((s) => s.document);
  const [query, setQuery] = useState("");
  const [index, setIndex] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const close = () => {
    useConnecting.getState().askConnect(null);
    // The field disappears with the menu, so the focus returns to the card.
    canvasView()?.focus(node);
  };
  const analysis = useAnalysis((s) => s.analysis);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sockets of a node are those of the last analysis.
  const all = useMemo(() => connectionsOf(document_, node), [document_, node, analysis]);
  const found = matching(document_, node, all, query);
  const pointed = usePointed();
  useEffect(() => {
    const away = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) useConnecting.getState().askConnect(null);
    };
    window.addEventListener("pointerdown", away, true);
    return () => window.removeEventListener("pointerdown", away, true);
  }, []);
  const draw = (connection: Connection | undefined) => {
    close();
    if (!connection) return;
    const { from, to } = connection;
    const edge = newEdge(document_, {
      source: from.node,
      sourceHandle: from.handle.name,
      target: to.node,
      targetHandle: to.handle.name,
    });
    void putWire(edge, "Connect");
  };
  /**
   * Adds the chosen wire. Sockets that the user typed a moment ago are known only after an analysis, so this
   * requests one.
   */
  const choose = async () => {
    if (found[index] || !useAnalysis.getState().stale) return draw(found[index]);
    // The status bar shows a failure. The previously known sockets are then used.
    await analyzeNow().catch(() => undefined);
    if (useConnecting.getState().connectFrom !== node) return;
    const { document } = useDocument.getState();
    draw(matching(document, node, connectionsOf(document, node), query)[index]);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === "Escape") close();
    else if (event.key === "Enter") void choose();
    else if (event.key === "ArrowDown") setIndex((i) => Math.max(0, Math.min(i + 1, found.length - 1)));
    else if (event.key === "ArrowUp") setIndex((i) => Math.max(i - 1, 0));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const card = canvasView()?.boxes().get(node);
  const at = card ? canvasView()?.toClient({ x: card.right, y: card.top }) : undefined;
  const canvas = document.querySelector('[data-region="canvas"]')?.getBoundingClientRect();
  const left = Math.max(8, Math.min((at?.x ?? 0) - (canvas?.left ?? 0) + 14, (canvas?.width ?? 800) - 274));
  const top = Math.max(8, Math.min((at?.y ?? 0) - (canvas?.top ?? 0), (canvas?.height ?? 600) - 330));
  return (
    <div
      className={searchListStyles.popupList}
      ref={box}
      style={{ left, top }}
      role="dialog"
      aria-label="Connect"
    >
      <div className={searchListStyles.searchBox}>
        <Icon name="plug" size={14} />
        <input
          // biome-ignore lint/a11y/noAutofocus: the user opens the menu to type, and Escape closes it.
          autoFocus
          value={query}
          placeholder={`Connect “${titleIn(document_, node)}” with`}
          aria-label="Search handles to connect"
          onChange={(event) => {
            setQuery(event.target.value);
            setIndex(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div className={searchListStyles.itemList}>
        {found.map((connection, i) => {
          const { from, to } = connection;
          return (
            <button
              type="button"
              key={`${from.node}|${from.handle.name}|${to.node}|${to.handle.name}`}
              className={classes(searchListStyles.listItem, i === index && searchListStyles.on)}
              onPointerMove={pointed(() => setIndex(i))}
              onClick={() => draw(connection)}
            >
              <i className={listedSocketLook(socketShape(from.handle.valueType))} />
              {from.node === node ? from.handle.label : <End id={from.node} handle={from.handle.label} />}
              <Icon name="chevron-right" size={11} />
              {to.node === node && from.node !== node ? (
                to.handle.label
              ) : (
                <End id={to.node} handle={to.handle.label} />
              )}
            </button>
          );
        })}
        {found.length === 0 && <p className={formStyles.hint}>No matching socket.</p>}
      </div>
    </div>
  );
}

/** Shows the other end of a wire: its node and socket name. */
function End({ id, handle }: { id: string; handle: string }) {
  const node = useFlowNode(id);
  const kind = useKind(node?.type ?? "");
  return (
    <>
      <span className={classes(iconTileStyles.iconTile, colourOf(kind))}>
        <Icon name={kind?.icon ?? "box"} size={13} />
      </span>
      <b>{node ? titleOf(node) : id}</b>
      <span>{handle}</span>
    </>
  );
}
