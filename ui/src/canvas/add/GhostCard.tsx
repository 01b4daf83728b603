// The preview of a node that a fix would add.

import type { Node, NodeProps } from "@xyflow/react";
import { memo } from "react";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import iconTileStyles from "../../components/IconTile.module.css";
import { useKind } from "../../document/kinds";
import type { FlowNode } from "../../ipc/generated/bindings";
import { titleOf } from "../../kernels/node-title";
import { Ports } from "../card/Ports";

export type GhostNode = Node<{ node: FlowNode; title: string }, "ghost">;

export const GhostCard = memo(function GhostCard({ id, data }: NodeProps<GhostNode>) {
  const kind = useKind(data.node.type);
  return (
    <article className={`node ghost${kind?.shape === "scope_end" ? " kind-exit" : ""}`}>
      <header className="card-header">
        <span className={classes(iconTileStyles.iconTile, "icon-tile")}>
          <Icon name={kind?.icon ?? "box"} size={13} />
        </span>
        <b>{titleOf(data.node)}</b>
      </header>
      <Ports node={id} inputs={kind?.inputs ?? []} outputs={kind?.outputs ?? []} kind={kind} />
      <span className="ghost-tip">preview of {data.title}</span>
    </article>
  );
});
