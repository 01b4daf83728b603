// A wire that a fix would add.
import { type EdgeProps, getBezierPath } from "@xyflow/react";
import { memo } from "react";
import type { GhostEdge } from "../add/ghosts";

export const GhostWire = memo(function GhostWire(props: EdgeProps<GhostEdge>) {
  const [path] = getBezierPath(props);
  return <path d={path} className="wire ghost-wire" />;
});
