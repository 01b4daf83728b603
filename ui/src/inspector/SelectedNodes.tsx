// Several selected nodes, or a selected group: a list of links to the nodes.

import { classes } from "../components/classes";
import entryListStyles from "../components/EntryList.module.css";
import formStyles from "../components/Form.module.css";
import { Icon } from "../components/Icon";
import iconTileStyles from "../components/IconTile.module.css";
import panelStyles from "../components/Panel.module.css";
import { useDocument } from "../document/document";
import { type Group, groupsOf } from "../document/groups";
import { useKinds } from "../document/kinds";
import { titleOf } from "../kernels/node-title";
import { plural } from "../runs/words/format";
import { goToNode } from "../scene/go-to";
import { useSession } from "../session/session";
import { NodeTile } from "./NodeSettings";
import styles from "./SelectedNodes.module.css";

/** The maximum number of listed nodes: few enough for a quick layout. */
const MAX_LISTED_NODES = 60;

/** Returns the group that consists of exactly these nodes; undefined if there is none. */
const groupOf = (groups: readonly Group[], ids: ReadonlySet<string>): Group | undefined =>
  groups.find((group) => group.nodes.length === ids.size && group.nodes.every((id) => ids.has(id)));

export function SelectedNodes() {
  const ids = useSession((s) => s.selection.nodes);
  const document = useDocument((s) => s.document);
  const byType = useKinds((s) => s.byType);
  const nodes = document.nodes.filter((node) => ids.has(node.id));
  const group = groupOf(groupsOf(document), ids);
  return (
    <>
      <header>
        <span
          className={classes(iconTileStyles.iconTile, group && `group-${group.colour}`, iconTileStyles.lg)}
        >
          <Icon name={group ? "frame" : "copy"} size={15} />
        </span>
        <div className="grow">
          <b>{group ? group.title || "Group" : `${plural(nodes.length, "node")} selected`}</b>
          <span className={classes(panelStyles.caption, "text-tertiary")}>
            {group ? `Group · ${plural(nodes.length, "node")}` : "Choose one to change its settings"}
          </span>
        </div>
      </header>
      <div className={classes(entryListStyles.entryList, styles.nodes)} data-testid="selected-nodes">
        {nodes.slice(0, MAX_LISTED_NODES).map((node) => {
          const kind = byType.get(node.type);
          return (
            <button type="button" key={node.id} onClick={() => void goToNode(node.id)}>
              <NodeTile kind={kind} size={13} />
              <span>{titleOf(node)}</span>
              <small>{kind?.title ?? node.type}</small>
            </button>
          );
        })}
        {nodes.length > MAX_LISTED_NODES && (
          <p className={formStyles.hint}>And {plural(nodes.length - MAX_LISTED_NODES, "more node")}.</p>
        )}
      </div>
    </>
  );
}
