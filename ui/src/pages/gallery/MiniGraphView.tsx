// The picture on a template's card.

import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import { wireLook } from "../../components/wire-look";
import styles from "./MiniGraphView.module.css";
import { type MiniGraph, TILE } from "./mini-graph";

export function MiniGraphView({ graph }: { graph: MiniGraph }) {
  // The picture of a small flow keeps the size of its tiles and does not fill the card.
  const width = Math.max(graph.width, 262);
  const height = Math.max(graph.height, 112);
  const viewBox = `${-(width - graph.width) / 2} ${-(height - graph.height) / 2} ${width} ${height}`;
  return (
    <svg
      className={styles.miniGraph}
      viewBox={viewBox}
      preserveAspectRatio="xMidYMid meet"
      aria-hidden="true"
    >
      {graph.hulls.map((h) => (
        <rect key={h.id} className={styles.hull} x={h.x} y={h.y} width={h.width} height={h.height} rx="11" />
      ))}
      {graph.wires.map((w) => (
        <path
          key={w.id}
          className={classes(
            wireLook(w.type === "boolean" ? "bool" : w.type),
            styles.wire,
            w.type === "feedback" && styles.feedback,
          )}
          d={w.path}
        />
      ))}
      {graph.nodes.map((n) => (
        <g key={n.id} transform={`translate(${n.x} ${n.y})`}>
          {n.stack && (
            <rect className={styles.node} x="4" y="-4" width={TILE.width} height={TILE.height} rx="6" />
          )}
          <rect
            className={classes(styles.node, n.loops && styles.loopNode)}
            width={TILE.width}
            height={TILE.height}
            rx="6"
          />
          <g
            transform="translate(7.5 4.5)"
            style={{ color: n.loops ? "var(--loop-ink)" : `var(--cat-${n.tone})` }}
          >
            <Icon name={n.icon} size={12} />
          </g>
        </g>
      ))}
    </svg>
  );
}
