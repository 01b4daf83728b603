// The wire that was dropped on the empty canvas. It stays while the quick-add menu is open at its end.

import { getBezierPath, Position, ViewportPortal } from "@xyflow/react";
import { wireLook } from "../../components/wire-look";
import { canvasView } from "../../session/canvas-view";
import { useConnecting } from "../../session/connecting";
import { testIds } from "../../testids";
import canvasStyles from "../Canvas.module.css";
import { socketShape } from "./Socket";

export function DroppedWire() {
  const request = useConnecting((s) => s.quickAdd);
  const end = request && canvasView()?.toFlow(request.at);
  if (!request?.from || !request.begins || !end) return null;
  const { from, begins } = request;
  const [path] = getBezierPath({
    sourceX: begins.x,
    sourceY: begins.y,
    sourcePosition: from.output ? Position.Right : Position.Left,
    targetX: end.x,
    targetY: end.y,
    targetPosition: from.output ? Position.Left : Position.Right,
  });
  return (
    <ViewportPortal>
      <svg className={canvasStyles.drawing} data-testid={testIds.droppedWire} aria-hidden="true">
        <path d={path} className={wireLook(socketShape(from.handle.valueType))} />
      </svg>
    </ViewportPortal>
  );
}
