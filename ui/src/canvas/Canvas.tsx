// The canvas: xyflow holds places and sizes while something moves, the document takes them over when it stops.
import { ReactFlow, SelectionMode, useStore } from "@xyflow/react";
import { useEffect, useLayoutEffect, useRef } from "react";
import { useDocument } from "../document/document";
import { followForDrawing } from "../drawn/drawn";
import { GRID } from "../kernels/geometry";
import { useActiveRun } from "../runs";
import { useSession } from "../session/session";
import { testIds } from "../testids";
import { Breadcrumbs } from "./Breadcrumbs";
import { CanvasMenu } from "./CanvasMenu";
import { CanvasTools } from "./CanvasTools";
import { ConnectionLine } from "./ConnectionLine";
import { ConnectMenu } from "./ConnectMenu";
import { FoldCard } from "./card/FoldCard";
import { NodeCard } from "./card/NodeCard";
import { Dots } from "./Dots";
import { DroppedWire } from "./DroppedWire";
import { EmptyCanvas } from "./EmptyCanvas";
import { FarPicture } from "./FarPicture";
import { FindPanel } from "./FindPanel";
import { useFar, useNearWires } from "./far";
import { GhostCard, type GhostNode } from "./GhostCard";
import { GhostWire } from "./GhostWire";
import { GroupLayer } from "./GroupLayer";
import { GuideLayer } from "./GuideLayer";
import {
  onEdgeContextMenu,
  onEdgeDoubleClick,
  onEdgesChange,
  onNodeClick,
  onNodeContextMenu,
  onNodeDoubleClick,
  onPaneClick,
  onPaneContextMenu,
  PAN_BUTTONS,
} from "./gestures";
import { type GhostEdge, useGhosts } from "./ghosts";
import { HistoryPanel } from "./HistoryPanel";
import { HullLayer } from "./HullLayer";
import { useHeldSelection } from "./held-selection";
import { useKeepInView } from "./keep-in-view";
import { useHeldView } from "./live-view";
import { MapPanel } from "./MapPanel";
import { useBoxesKeepSockets } from "./measure";
import { useMoves } from "./moving";
import type { CanvasNode } from "./nodes";
import { usePanAtEdge } from "./pan-at-edge";
import { QuickAdd } from "./QuickAdd";
import { Refusal } from "./Refusal";
import { RenameBox } from "./RenameBox";
import { SelectionBar } from "./SelectionBar";
import { useCanvasEdges, useCanvasNodes } from "./use-canvas-nodes";
import { useWireDrawing } from "./use-wire-drawing";
import { useCanvasViewMount } from "./view";
import { WireEdge, type WireEdgeType } from "./WireEdge";
import { WireInsert } from "./WireInsert";
import { ZoomBar } from "./ZoomBar";

const nodeTypes = { card: NodeCard, fold: FoldCard, ghost: GhostCard };
const edgeTypes = { wire: WireEdge, ghost: GhostWire };
const snapGrid: [number, number] = [GRID, GRID];
const ariaLabels = {
  "node.a11yDescription.default": "Press Enter to select, arrows to move, Delete to remove, C to connect.",
  "edge.a11yDescription.default": "Press Enter to select, Delete to remove.",
};

/** Above this many nodes only those in view are drawn: mounting and unmounting costs less than keeping them. */
const DRAW_ALL_BELOW = 120;

/** Above this many nodes cards have no soft shadows, which cost most of the time where no graphics card helps. */
const FLAT_ABOVE = 60;

/**
 * Below this zoom words cannot be read: cards are drawn without them, which makes moving the view cheap. Of few cards they
 * cost little, and are kept as long as they can be told from one another.
 */
const FAR_BELOW = { few: 0.28, many: 0.42 };

/** The ends of more wires than these can be dragged only while the wire is selected: each costs two elements. */
const RECONNECT_BELOW = 200;
/** How far from a socket its wire's end can be taken hold of, half of it, in pixels of the flow. */
const RECONNECT_RADIUS = 15;

const MULTI_SELECT = ["Shift", "Meta", "Control"];

/** The smallest zoom: a large flow must still fit into the window. */
const FURTHEST = { few: 0.15, many: 0.05 };

export function Canvas() {
  const { drawn, onNodesChange, onDrag } = useCanvasNodes();
  const edges = useNearWires(useCanvasEdges());
  const wiring = useWireDrawing();
  const tool = useSession((s) => s.tool);
  const minimap = useSession((s) => s.minimap);
  const wheel = useSession((s) => s.wheel);
  const running = useActiveRun().status === "running";
  useEffect(() => followForDrawing(), []);
  useCanvasViewMount();
  useBoxesKeepSockets();
  const canvas = useRef<HTMLElement>(null);
  const movedByHand = useRef(false);
  usePanAtEdge(canvas);
  const isMany = drawn.length > FLAT_ABOVE;
  const farBelow = isMany ? FAR_BELOW.many : FAR_BELOW.few;
  const held = useHeldView(farBelow, isMany);
  useHeldSelection(isMany);
  const { view, drag } = useMoves(canvas, movedByHand, onDrag, held);
  useKeepInView(movedByHand);
  const ghosts = useGhosts();
  const far = useStore((s) => s.transform[2] < farBelow);
  const asBitmap = far && isMany;
  useLayoutEffect(() => useFar.setState({ far: asBitmap, node: null, wire: null }), [asBitmap]);
  const readOnly = useDocument((s) => s.behind !== null);
  return (
    <section
      ref={canvas}
      className={`canvas tool-${tool}${far ? " far" : ""}${isMany ? " many" : ""}${running ? " has-run" : ""}`}
      role="application"
      // What had the focus may go; keys then still reach the canvas, and Tab goes on from here.
      tabIndex={-1}
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
        {...held.props}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onMoveStart={view.start}
        onMove={view.move}
        onMoveEnd={view.end}
        onNodeDragStart={drag.start}
        onNodeDragStop={drag.stop}
        onSelectionDragStart={drag.start}
        onSelectionDragStop={drag.stop}
        onNodeClick={onNodeClick}
        onNodeDoubleClick={onNodeDoubleClick}
        onEdgeDoubleClick={onEdgeDoubleClick}
        {...wiring}
        connectionLineComponent={ConnectionLine}
        connectionRadius={22}
        edgesReconnectable={!readOnly && edges.length < RECONNECT_BELOW}
        reconnectRadius={RECONNECT_RADIUS}
        multiSelectionKeyCode={MULTI_SELECT}
        selectionKeyCode={tool === "pan" ? "Shift" : null}
        onNodeContextMenu={onNodeContextMenu}
        onEdgeContextMenu={onEdgeContextMenu}
        onPaneClick={onPaneClick}
        onPaneContextMenu={onPaneContextMenu}
        onSelectionContextMenu={onPaneContextMenu}
        snapToGrid
        snapGrid={snapGrid}
        minZoom={drawn.length > DRAW_ALL_BELOW ? FURTHEST.many : FURTHEST.few}
        maxZoom={2.5}
        deleteKeyCode={null}
        selectionMode={SelectionMode.Partial}
        selectionOnDrag={tool === "select"}
        panOnDrag={tool === "pan" ? true : PAN_BUTTONS}
        panActivationKeyCode="Space"
        panOnScroll={wheel === "pan"}
        zoomOnDoubleClick={false}
        onlyRenderVisibleElements={drawn.length > DRAW_ALL_BELOW}
        elevateNodesOnSelect
        autoPanOnNodeFocus
        autoPanOnConnect={false}
        ariaLabelConfig={ariaLabels}
        attributionPosition="top-right"
      >
        {asBitmap ? <FarPicture /> : <Dots />}
        <GroupLayer onDrag={drag} />
        <HullLayer />
        <GuideLayer />
        <DroppedWire />
      </ReactFlow>
      <Breadcrumbs />
      {drawn.length === 0 && !readOnly && <EmptyCanvas />}
      <ZoomBar />
      <CanvasTools />
      {minimap && drawn.length > 0 && <MapPanel />}
      <SelectionBar />
      <WireInsert />
      <QuickAdd />
      <CanvasMenu />
      <RenameBox />
      <FindPanel />
      <HistoryPanel />
      <ConnectMenu />
      <Refusal />
    </section>
  );
}
