// The canvas: xyflow holds places and sizes while something moves, the document takes them over when it stops.
import {
  applyNodeChanges,
  Background,
  BackgroundVariant,
  type Connection,
  type FinalConnectionState,
  type HandleType,
  type NodeChange,
  type OnConnectStartParams,
  ReactFlow,
  SelectionMode,
  useStore,
} from "@xyflow/react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { newEdge } from "../document/build";
import { useDocument } from "../document/document";
import { connect, moveNodes, removeElements } from "../document/edits";
import { GRID, type Point } from "../kernels/geometry";
import { useActiveRun } from "../runs";
import { useConnecting, type WireEnd } from "../session/connecting";
import { useSession } from "../session/session";
import { testIds } from "../testids";
import { CanvasTools } from "./CanvasTools";
import { ConnectionLine } from "./ConnectionLine";
import { ConnectMenu } from "./ConnectMenu";
import { NodeCard } from "./card/NodeCard";
import { followForDrawing, handlesNow, useDrawn } from "./drawn";
import { EmptyCanvas } from "./EmptyCanvas";
import { whyNot } from "./fit";
import { GhostCard, type GhostNode } from "./GhostCard";
import { GhostWire } from "./GhostWire";
import { type GhostEdge, useGhosts } from "./ghosts";
import { HullLayer } from "./HullLayer";
import { MapPanel } from "./MapPanel";
import { type CanvasNode, reconcileNodes } from "./nodes";
import { QuickAdd } from "./QuickAdd";
import { Refusal } from "./Refusal";
import { useCanvasViewMount } from "./view";
import { WireEdge, type WireEdgeType } from "./WireEdge";
import { ZoomBar } from "./ZoomBar";

const nodeTypes = { card: NodeCard, ghost: GhostCard };
const edgeTypes = { wire: WireEdge, ghost: GhostWire };
const snapGrid: [number, number] = [GRID, GRID];
const ariaLabels = {
  "node.a11yDescription.default": "Press Enter to select, arrows to move, Delete to remove, C to connect.",
  "edge.a11yDescription.default": "Press Enter to select, Delete to remove.",
};

/** Above this many nodes only those in view are drawn: mounting and unmounting costs less than keeping them. */
const DRAW_ALL_BELOW = 120;

/** Below this zoom words cannot be read: cards are drawn without them, which makes moving the view cheap. */
const FAR_BELOW = 0.42;

function endOf(node: string, handle: string | null, type: HandleType): WireEnd | null {
  const handles = handlesNow(node);
  const output = type === "source";
  const info = (output ? handles.outputs : handles.inputs).find((h) => h.name === handle);
  return info ? { node, handle: info, output } : null;
}

const pointOf = (event: MouseEvent | TouchEvent): Point => {
  const at = "changedTouches" in event ? (event.changedTouches[0] ?? { clientX: 0, clientY: 0 }) : event;
  return { x: at.clientX, y: at.clientY };
};

function useCanvasNodes() {
  const nodes = useDocument((s) => s.document.nodes);
  const selected = useSession((s) => s.selection.nodes);
  const [drawn, setDrawn] = useState<CanvasNode[]>(() => reconcileNodes([], nodes, selected));
  const dragging = useRef(false);
  useEffect(() => setDrawn((before) => reconcileNodes(before, nodes, selected)), [nodes, selected]);

  const onNodesChange = useCallback((all: NodeChange<CanvasNode | GhostNode>[]) => {
    // Ghosts are drawn from the fix that is pointed at; what xyflow measures of them concerns nobody else.
    const changes = all as NodeChange<CanvasNode>[];
    const session = useSession.getState();
    const selection = changes.filter((change) => change.type === "select");
    if (selection.length > 0) {
      const chosen = new Set(session.selection.nodes);
      for (const change of selection) {
        if (change.selected) chosen.add(change.id);
        else chosen.delete(change.id);
      }
      session.select(chosen, session.selection.edges);
    }
    const rest = changes.filter((change) => change.type !== "select" && change.type !== "remove");
    if (rest.length > 0) setDrawn((before) => applyNodeChanges(rest, before));
    const settled = new Map(
      changes.flatMap((change) =>
        change.type === "position" && change.position && change.dragging === false
          ? [[change.id, change.position] as const]
          : [],
      ),
    );
    if (settled.size > 0) {
      const label = settled.size === 1 ? "Move node" : `Move ${settled.size} nodes`;
      // Nudges by key that follow each other are one entry; a drag is one by itself.
      useDocument
        .getState()
        .edit(moveNodes(settled), dragging.current ? { label } : { label, mark: "nudge" });
    }
  }, []);
  const onDrag = useMemo(
    () => ({
      start: () => {
        dragging.current = true;
      },
      stop: () => {
        dragging.current = false;
      },
    }),
    [],
  );
  return { drawn, onNodesChange, onDrag };
}

function useCanvasEdges(): WireEdgeType[] {
  const wires = useDrawn((s) => s.wires);
  const selected = useSession((s) => s.selection.edges);
  return useMemo(
    () =>
      wires.map((wire) => ({
        id: wire.edge.id,
        type: "wire",
        source: wire.edge.source,
        sourceHandle: wire.sourceHandle,
        target: wire.edge.target,
        targetHandle: wire.targetHandle,
        selected: selected.has(wire.edge.id),
        data: { wire },
      })),
    [wires, selected],
  );
}

function useWireDrawing() {
  const lastFrom = useRef<Point>({ x: 0, y: 0 });
  const onConnectStart = useCallback((event: MouseEvent | TouchEvent, params: OnConnectStartParams) => {
    lastFrom.current = "touches" in event ? pointOf(event) : { x: event.clientX, y: event.clientY };
    if (!params.nodeId || !params.handleType) return;
    const from = endOf(params.nodeId, params.handleId, params.handleType);
    if (from) useConnecting.getState().start(from);
  }, []);
  const isValidConnection = useCallback((connection: Connection | WireEdgeType | GhostEdge) => {
    const from = endOf(connection.source, connection.sourceHandle ?? null, "source");
    const to = endOf(connection.target, connection.targetHandle ?? null, "target");
    return from !== null && to !== null && whyNot(from, to) === null;
  }, []);
  const onConnect = useCallback((connection: Connection) => {
    const { document, edit } = useDocument.getState();
    edit(connect(newEdge(document, connection)), { label: "Connect" });
  }, []);
  const onConnectEnd = useCallback((event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
    const connecting = useConnecting.getState();
    const { from } = connecting;
    connecting.end();
    if (!from || state.isValid) return;
    const at = pointOf(event);
    const { toHandle, toNode } = state;
    if (toHandle) {
      const to = endOf(toHandle.nodeId, toHandle.id ?? null, toHandle.type);
      const text = to ? whyNot(from, to) : null;
      if (text) connecting.refuse({ at, from: lastFrom.current, text });
    } else if (toNode) {
      connecting.refuse({ at, from: lastFrom.current, text: "Drop it on one of the node’s sockets." });
    } else if (Math.hypot(at.x - lastFrom.current.x, at.y - lastFrom.current.y) > 24) {
      connecting.openQuickAdd({ at, from });
    }
  }, []);
  return { onConnectStart, isValidConnection, onConnect, onConnectEnd };
}

export function Canvas() {
  const { drawn, onNodesChange, onDrag } = useCanvasNodes();
  const edges = useCanvasEdges();
  const wiring = useWireDrawing();
  const tool = useSession((s) => s.tool);
  const minimap = useSession((s) => s.minimap);
  const running = useActiveRun().status === "running";
  useEffect(() => followForDrawing(), []);
  useCanvasViewMount();
  const ghosts = useGhosts();
  const far = useStore((s) => s.transform[2] < FAR_BELOW);
  const readOnly = useDocument((s) => s.behind !== null);
  return (
    <main
      className={`canvas tool-${tool}${far ? " far" : ""}`}
      role="application"
      aria-label={`Workflow canvas, ${drawn.length} ${drawn.length === 1 ? "node" : "nodes"}${running ? ", running" : ""}`}
      data-testid={testIds.canvas}
    >
      <ReactFlow<CanvasNode | GhostNode, WireEdgeType | GhostEdge>
        nodes={ghosts.nodes.length > 0 ? [...drawn, ...ghosts.nodes] : drawn}
        edges={ghosts.edges.length > 0 ? [...edges, ...ghosts.edges] : edges}
        nodesDraggable={!readOnly}
        nodesConnectable={!readOnly}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onNodesChange={onNodesChange}
        onEdgesChange={(changes) => {
          const session = useSession.getState();
          const chosen = new Set(session.selection.edges);
          for (const change of changes) {
            if (change.type !== "select") continue;
            if (change.selected) chosen.add(change.id);
            else chosen.delete(change.id);
          }
          session.select(session.selection.nodes, chosen);
        }}
        onNodeDragStart={onDrag.start}
        onNodeDragStop={onDrag.stop}
        onSelectionDragStart={onDrag.start}
        onSelectionDragStop={onDrag.stop}
        onEdgeDoubleClick={(_, edge) =>
          useDocument.getState().edit(removeElements(new Set(), new Set([edge.id])), { label: "Remove wire" })
        }
        {...wiring}
        connectionLineComponent={ConnectionLine}
        connectionRadius={22}
        snapToGrid
        snapGrid={snapGrid}
        minZoom={0.15}
        maxZoom={2.5}
        deleteKeyCode={null}
        selectionMode={SelectionMode.Partial}
        selectionOnDrag={tool === "select"}
        panOnDrag={tool === "pan" ? true : [1, 2]}
        panActivationKeyCode="Space"
        zoomOnDoubleClick={false}
        onlyRenderVisibleElements={drawn.length > DRAW_ALL_BELOW}
        elevateNodesOnSelect
        autoPanOnNodeFocus
        ariaLabelConfig={ariaLabels}
        attributionPosition="top-right"
      >
        <Background variant={BackgroundVariant.Dots} gap={GRID} size={2} />
        <HullLayer />
      </ReactFlow>
      {drawn.length === 0 && !readOnly && <EmptyCanvas />}
      <ZoomBar />
      <CanvasTools />
      {minimap && drawn.length > 0 && <MapPanel />}
      <QuickAdd />
      <ConnectMenu />
      <Refusal />
    </main>
  );
}
