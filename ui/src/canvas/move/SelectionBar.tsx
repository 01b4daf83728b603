// The actions for several selected nodes: align, distribute, group. Shown over the canvas.

import { commandById } from "../../commands";
import { keyText } from "../../commands/keyboard";
import { IconButton } from "../../components/Button";
import { classes } from "../../components/classes";
import floatStyles from "../../components/Float.module.css";
import { useDocument } from "../../document/document";
import { ALIGNMENTS } from "../../kernels/arrange";
import { useSession } from "../../session/session";
import styles from "./SelectionBar.module.css";

/** The minimum number of nodes that can be distributed. Two nodes have only one gap. */
const DISTRIBUTE_FROM = 3;

function CommandButton({ id }: { id: string }) {
  const command = commandById(id);
  const keys = command.keys?.[0];
  return (
    <IconButton
      icon={command.icon ?? "box"}
      size={15}
      label={command.label}
      hint={keys && keyText(keys)}
      onClick={() => void command.run()}
    />
  );
}

export function SelectionBar() {
  const count = useSession((s) => s.selection.nodes.size);
  const editing = useSession((s) => s.layout === "edit");
  const readOnly = useDocument((s) => s.suspended !== null);
  if (count < 2 || !editing || readOnly) return null;
  return (
    <div
      className={classes(floatStyles.float, styles.selectionBar)}
      role="toolbar"
      aria-label={`${count} nodes`}
    >
      <b>{count}</b>
      <span className="divider" />
      {ALIGNMENTS.map((how) => (
        <CommandButton key={how} id={`arrange.${how}`} />
      ))}
      {count >= DISTRIBUTE_FROM && (
        <>
          <span className="divider" />
          <CommandButton id="arrange.distribute-x" />
          <CommandButton id="arrange.distribute-y" />
        </>
      )}
      <span className="divider" />
      <CommandButton id="group.make" />
      <CommandButton id="node.bypass" />
    </div>
  );
}
