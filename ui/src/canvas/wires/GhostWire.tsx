// A wire that a fix would add.

import { type EdgeProps, getBezierPath } from "@xyflow/react";
import { memo } from "react";
import { classes } from "../../components/classes";
import { wireLook } from "../../components/wire-look";
import type { GhostEdge } from "../add/ghosts";
import styles from "./WireEdge.module.css";

export const GhostWire = memo(function GhostWire(props: EdgeProps<GhostEdge>) {
  const [path] = getBezierPath(props);
  return <path d={path} className={classes(wireLook("any"), styles.ghost)} />;
});
