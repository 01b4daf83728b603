// The wire while it is drawn, in the colour of its type.

import { type ConnectionLineComponentProps, getBezierPath } from "@xyflow/react";
import { wireLook } from "../../components/wire-look";
import { useConnecting } from "../../session/connecting";
import { socketShape } from "./Socket";

export function ConnectionLine({
  fromX,
  fromY,
  toX,
  toY,
  fromPosition,
  toPosition,
}: ConnectionLineComponentProps) {
  const type = useConnecting((s) => s.from?.handle.valueType ?? "any");
  const [path] = getBezierPath({
    sourceX: fromX,
    sourceY: fromY,
    targetX: toX,
    targetY: toY,
    sourcePosition: fromPosition,
    targetPosition: toPosition,
  });
  return <path d={path} className={wireLook(socketShape(type))} />;
}
