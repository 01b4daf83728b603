// The preview of a node that a fix would add.

import type { Node, NodeProps } from "@xyflow/react";
import { memo } from "react";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import iconTileStyles from "../../components/IconTile.module.css";
import { useKind } from "../../document/kinds";
import type { FlowNode } from "../../ipc/generated/bindings";
import { titleOf } from "../../kernels/node-title";
import cardStyles from "../CanvasCard.module.css";
import { Ports } from "../card/Ports";
import styles from "./GhostCard.module.css";

export type GhostNode = Node<{ node: FlowNode; title: string }, "ghost">;

export const GhostCard = memo(function GhostCard({ id, data }: NodeProps<GhostNode>) {
  const kind = useKind(data.node.type);
  return (
    <article
      className={classes(cardStyles.card, cardStyles.ghost)}
      data-kind={kind?.shape === "scope_end" ? "exit" : undefined}
    >
      <header className={cardStyles.header}>
        <span className={classes(iconTileStyles.iconTile, cardStyles.tile)}>
          <Icon name={kind?.icon ?? "box"} size={13} />
        </span>
        <b>{titleOf(data.node)}</b>
      </header>
      <Ports node={id} inputs={kind?.inputs ?? []} outputs={kind?.outputs ?? []} kind={kind} />
      <span className={styles.ghostTip}>preview of {data.title}</span>
    </article>
  );
});
