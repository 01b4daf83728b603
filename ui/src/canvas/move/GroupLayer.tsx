// The frames of groups, below the cards. A frame follows its nodes; dragging its title moves them.

import { useStoreApi, ViewportPortal } from "@xyflow/react";
import { type PointerEvent, useRef, useState } from "react";
import { setFolded, titleGroup } from "../../commands/group";
import { IconButton } from "../../components/Button";
import { classes } from "../../components/classes";
import { useAnalysis } from "../../document/analysis";
import { useDocument } from "../../document/document";
import { FRAME_PAD, type Group, groupsOf } from "../../document/groups";
import { type Box, boundsOf, GRID, grown, type Point, snapPoint } from "../../kernels/geometry";
import { hullSpan } from "../../kernels/hull";
import { nestingIn, regionIds, withRoom } from "../../kernels/nested-hulls";
import { useScene } from "../../scene/scene";
import { useCanvasPanels } from "../../session/canvas-panels";
import { beginGesture, cancelGesture } from "../../session/gesture";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import type { CanvasNode } from "../nodes";
import { focusCanvas } from "../view/focus";
import styles from "./GroupLayer.module.css";
import { present, useBoxes } from "./regions";

/** The distance between a loop's hull and the frame of a group, in flow pixels. */
const HULL_MARGIN = 8;
/** The height of the title above the nodes of a group, in flow pixels. */
const TITLE = 28;

interface Moving {
  at: Point;
  from: ReadonlyMap<string, Point>;
}

/** Returns the handlers that drag a frame. The nodes in it move as if they were dragged themselves. */
function useFrameDrag(ids: readonly string[], onDrag: { start: () => void; stop: () => void }) {
  const store = useStoreApi<CanvasNode>();
  const moving = useRef<Moving | null>(null);
  const change = (event: PointerEvent, dragging: boolean) => {
    const { triggerNodeChanges, transform } = store.getState();
    if (!moving.current) return;
    const by = {
      x: (event.clientX - moving.current.at.x) / transform[2],
      y: (event.clientY - moving.current.at.y) / transform[2],
    };
    const step = snapPoint(by);
    triggerNodeChanges(
      [...moving.current.from].map(([id, { x, y }]) => ({
        id,
        type: "position" as const,
        position: { x: x + step.x, y: y + step.y },
        dragging,
      })),
    );
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      useSession.getState().select(ids);
      if (useDocument.getState().suspended !== null) return;
      const places = new Map(store.getState().nodes.map((node) => [node.id, node.position]));
      const from = new Map(
        ids.flatMap((id) => (places.has(id) ? [[id, places.get(id) as Point] as const] : [])),
      );
      moving.current = { at: { x: event.clientX, y: event.clientY }, from };
      event.currentTarget.setPointerCapture(event.pointerId);
      onDrag.start();
      beginGesture(() => {
        moving.current = null;
        onDrag.stop();
      });
    },
    onPointerMove: (event: PointerEvent) => change(event, true),
    onPointerUp: (event: PointerEvent) => {
      const { current } = moving;
      if (!current) return;
      const travelled = Math.hypot(event.clientX - current.at.x, event.clientY - current.at.y);
      if (travelled >= GRID / 4) change(event, false);
      moving.current = null;
      onDrag.stop();
    },
    onPointerCancel: cancelGesture,
  };
}

/** Returns the extents of the hulls of those loops whose nodes are all in the group. */
function useHullsWithin(visibleIds: readonly string[], boxes: readonly (Box | null)[]): Box[] {
  const regions = useAnalysis((s) => s.analysis.regions);
  const at = new Map(visibleIds.map((id, i) => [id, boxes[i] ?? null]));
  return regions.flatMap((region) => {
    const ids = regionIds(region);
    if (!ids.every((id) => at.has(id))) return [];
    const deep = nestingIn(region, regions, () => false);
    const own = ids.map((id) => withRoom(at.get(id) ?? null, deep.get(id) ?? 0));
    return hullSpan(present(own), region.repeats === "loop") ?? [];
  });
}

function Frame({ group, onDrag, canDrag }: { group: Group } & FrameDrag) {
  const hiddenBy = useScene((s) => s.hiddenBy);
  const visibleIds = [...new Set(group.nodes.map((id) => hiddenBy.get(id) ?? id))];
  const boxes = useBoxes(visibleIds);
  const spans = useHullsWithin(visibleIds, boxes);
  const bounds = boundsOf(present(boxes));
  const drag = useFrameDrag(visibleIds, onDrag);
  const renaming = useCanvasPanels((s) => s.renaming === `group:${group.id}`);
  if (!bounds) return null;
  const box =
    boundsOf([grown(bounds, FRAME_PAD), ...spans.map((span) => grown(span, HULL_MARGIN))]) ?? bounds;
  return (
    <div
      className={classes(styles.groupFrame, `group-${group.colour}`)}
      data-frame
      style={{
        left: box.left,
        top: box.top - TITLE,
        width: box.right - box.left,
        height: box.bottom - box.top + TITLE,
      }}
      data-testid={testIds.group(group.id)}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: commands offer the same by keyboard. */}
      <header
        className="nopan"
        {...(canDrag ? drag : {})}
        onDoubleClick={() => useCanvasPanels.getState().rename(`group:${group.id}`)}
        onContextMenu={(event) => {
          event.preventDefault();
          useSession.getState().select(visibleIds);
          const at = { x: event.clientX, y: event.clientY };
          useCanvasPanels.getState().openMenu(at, { kind: "group", id: group.id });
        }}
      >
        {renaming ? <TitleField group={group} /> : <b>{group.title || "Group"}</b>}
        <IconButton
          icon="fold-vertical"
          size={13}
          label={`Fold ${group.title || "the group"}`}
          onPointerDown={(event) => event.stopPropagation()}
          onClick={() => setFolded(group.id, true)}
        />
      </header>
    </div>
  );
}

function TitleField({ group }: { group: Group }) {
  const [title, setTitle] = useState(group.title);
  const close = () => useCanvasPanels.getState().rename(null);
  const done = () => {
    titleGroup(group.id, title);
    close();
  };
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: the user opens the field to type, and Escape restores the title.
      autoFocus
      value={title}
      aria-label="Title of the group"
      onPointerDown={(event) => event.stopPropagation()}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setTitle(event.target.value)}
      onBlur={done}
      onKeyDown={(event) => {
        if (event.key === "Enter") done();
        else if (event.key === "Escape") close();
        else return;
        event.preventDefault();
        event.stopPropagation();
        // The title field is about to disappear and would lose the focus.
        focusCanvas();
      }}
    />
  );
}

interface FrameDrag {
  onDrag: { start: () => void; stop: () => void };
  /** Whether frames can be dragged. Otherwise a drag on a frame pans. */
  canDrag: boolean;
}

export function GroupLayer({ onDrag, canDrag }: FrameDrag) {
  const groups = useDocument((s) => groupsOf(s.document));
  const hiddenBy = useScene((s) => s.hiddenBy);
  const open = groups.filter((group) => !group.collapsed && group.nodes.some((id) => !hiddenBy.has(id)));
  if (open.length === 0) return null;
  return (
    <ViewportPortal>
      {open.map((group) => (
        <Frame key={group.id} group={group} onDrag={onDrag} canDrag={canDrag} />
      ))}
    </ViewportPortal>
  );
}
