// The canvas. During a move, xyflow holds the positions and sizes; at the end of the move they are written to
// the document.

import { ReactFlow, SelectionMode } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { useDocument } from "../document/document";
import { isDrawnInSoftware } from "../ipc/client";
import { GRID } from "../kernels/geometry";
import { useActiveRun } from "../runs";
import { followForDrawing } from "../scene/scene";
import { useSession } from "../session/session";
import { testIds } from "../testids";
import { EmptyCanvas } from "./add/EmptyCanvas";
import { GhostCard, type GhostNode } from "./add/GhostCard";
import { type GhostEdge, useGhosts } from "./add/ghosts";
import { QuickAdd } from "./add/QuickAdd";
import styles from "./Canvas.module.css";
import { CanvasMenu } from "./CanvasMenu";
import { CanvasTools } from "./CanvasTools";
import { FoldCard } from "./card/FoldCard";
import { NodeCard } from "./card/NodeCard";
import { useCanvasDetail } from "./detail";
import { HistoryPanel } from "./HistoryPanel";
import { GroupLayer } from "./move/GroupLayer";
import { GuideLayer } from "./move/GuideLayer";
import {
  onEdgeContextMenu,
  onEdgeDoubleClick,
  onEdgesChange,
  onNodeClick,
  onNodeContextMenu,
  onNodeDoubleClick,
  onPaneClick,
  onPaneContextMenu,
} from "./move/gestures";
import { HullLayer } from "./move/HullLayer";
import { SelectionBar } from "./move/SelectionBar";
import type { CanvasNode } from "./nodes";
import { Refusal } from "./Refusal";
import { RenameBox } from "./RenameBox";
import { useCanvasEdges, useCanvasNodes } from "./use-canvas-nodes";
import { Breadcrumbs } from "./view/Breadcrumbs";
import { FindPanel } from "./view/FindPanel";
import { keepFocusInView } from "./view/focus";
import { useFollowRun } from "./view/follow-run";
import { MapPanel } from "./view/MapPanel";
import { usePanAtEdge } from "./view/pan-at-edge";
import { dragProps, PAN_KEY, useIsPanning } from "./view/pan-mode";
import { useCanvasViewMount } from "./view/view";
import { ZoomBar } from "./view/ZoomBar";
import { ConnectionLine } from "./wires/ConnectionLine";
import { ConnectMenu } from "./wires/ConnectMenu";
import { DroppedWire } from "./wires/DroppedWire";
import { GhostWire } from "./wires/GhostWire";
import { useWireDrawing } from "./wires/use-wire-drawing";
import { WireEdge, type WireEdgeType } from "./wires/WireEdge";
import { WireInsert } from "./wires/WireInsert";

const nodeTypes = { card: NodeCard, fold: FoldCard, ghost: GhostCard };
const edgeTypes = { wire: WireEdge, ghost: GhostWire };
const snapGrid: [number, number] = [GRID, GRID];
const NODE_KEYS = "Press Enter to select, arrows to move, Delete to remove, C to connect.";
/**
 * The descriptions that xyflow gives to screen readers. Despite its name, the text `keyboardDisabled` is used
 * only when xyflow's own keyboard controls are enabled.
 */
const ariaLabels = {
  "node.a11yDescription.default": NODE_KEYS,
  "node.a11yDescription.keyboardDisabled": NODE_KEYS,
  "edge.a11yDescription.default": "Press Enter to select, Delete to remove.",
};

/** The distance from a socket, in flow pixels, within which the end of its wire can be grabbed. */
const RECONNECT_RADIUS = 20;

const MULTI_SELECT = ["Shift", "Meta", "Control"];

export function Canvas() {
  const { cards, onNodesChange, onDrag } = useCanvasNodes();
  const wiring = useWireDrawing();
  const tool = useSession((s) => s.tool);
  const isPanning = useIsPanning();
  const minimap = useSession((s) => s.minimap);
  const wheel = useSession((s) => s.wheel);
  const running = useActiveRun().status === "running";
  const besideRun = useSession((s) => s.layout === "run");
  useEffect(() => followForDrawing(), []);
  const canvas = useRef<HTMLElement>(null);
  const movedByHand = useRef(false);
  useCanvasViewMount(movedByHand);
  usePanAtEdge(canvas);
  const detail = useCanvasDetail({
    canvas,
    nodeCount: cards.length,
    edges: useCanvasEdges(),
    movedByHand,
    onDrag,
  });
  useFollowRun(movedByHand);
  const ghosts = useGhosts();
  const readOnly = useDocument((s) => s.suspended !== null);
  return (
    <section
      ref={canvas}
      className={styles.canvas}
      data-region="canvas"
      data-tool={isPanning ? "pan" : tool}
      data-running={running || undefined}
      data-beside-run={besideRun || undefined}
      data-software={isDrawnInSoftware() || undefined}
      {...detail.attributes}
      role="application"
      // The canvas is focusable, so that it still receives keys after the focused element is removed, and Tab
      // continues from the canvas.
      tabIndex={-1}
      onFocus={keepFocusInView}
      aria-label={`Workflow canvas, ${cards.length} ${cards.length === 1 ? "node" : "nodes"}${running ? ", running" : ""}`}
      data-testid={testIds.canvas}
    >
      <ReactFlow<CanvasNode | GhostNode, WireEdgeType | GhostEdge>
        nodes={ghosts.nodes.length > 0 ? [...cards, ...ghosts.nodes] : cards}
        edges={ghosts.edges.length > 0 ? [...detail.edges, ...ghosts.edges] : detail.edges}
        {...dragProps(isPanning, readOnly)}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        {...detail.flow}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onNodeClick={onNodeClick}
        onNodeDoubleClick={onNodeDoubleClick}
        onEdgeDoubleClick={onEdgeDoubleClick}
        {...wiring}
        connectionLineComponent={ConnectionLine}
        connectionRadius={22}
        edgesReconnectable={!readOnly && !isPanning}
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
        maxZoom={2.5}
        deleteKeyCode={null}
        selectionMode={SelectionMode.Partial}
        panActivationKeyCode={PAN_KEY}
        panOnScroll={wheel === "pan"}
        zoomOnDoubleClick={false}
        elevateNodesOnSelect
        autoPanOnNodeFocus={false}
        autoPanOnConnect={false}
        ariaLabelConfig={ariaLabels}
        attributionPosition="top-right"
      >
        {detail.background}
        <GroupLayer onDrag={detail.drag} canDrag={!isPanning} />
        <HullLayer />
        <GuideLayer />
        <DroppedWire />
      </ReactFlow>
      <Breadcrumbs />
      {cards.length === 0 && !readOnly && <EmptyCanvas />}
      <ZoomBar />
      <CanvasTools />
      {minimap && cards.length > 0 && <MapPanel />}
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
