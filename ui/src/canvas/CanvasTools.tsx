// The tool bar: select or pan, add, note, tidy up. Next to a run, only the add tools remain, in the corner.

import { commandById } from "../commands";
import { IconButton } from "../components/Button";
import { classes } from "../components/classes";
import floatStyles from "../components/Float.module.css";
import { breadcrumbPath, useDocument } from "../document/document";
import { useSession } from "../session/session";
import styles from "./CanvasTools.module.css";

const run = (id: string) => () => void commandById(id).run();

export function CanvasTools() {
  const tool = useSession((s) => s.tool);
  const layout = useSession((s) => s.layout);
  // No tools can be offered in the corner: a past run is read-only, and inside a subflow the corner contains
  // the button that leaves it.
  const fixed = useDocument((s) => s.suspended !== null || breadcrumbPath(s).length > 0);
  const add = (
    <IconButton
      className={styles.tool}
      icon="plus"
      size={15}
      label="Add node"
      hint="A"
      onClick={run("node.quickAdd")}
    />
  );
  if (layout === "run")
    return fixed ? null : <div className={classes(floatStyles.float, styles.openAdd)}>{add}</div>;
  return (
    <div className={classes(floatStyles.float, styles.tools)} role="toolbar" aria-label="Canvas">
      <IconButton
        className={styles.tool}
        icon="mouse-pointer-2"
        size={15}
        label="Select"
        hint="V"
        on={tool === "select"}
        onClick={run("tool.select")}
      />
      <IconButton
        className={styles.tool}
        icon="hand"
        size={15}
        label="Pan"
        hint="H"
        on={tool === "pan"}
        onClick={run("tool.pan")}
      />
      <span className={classes("divider", styles.space)} />
      {add}
      <IconButton
        className={styles.tool}
        icon="sticky-note"
        size={15}
        label="Add note"
        onClick={run("node.addNote")}
      />
      <span className={classes("divider", styles.space)} />
      <IconButton
        className={styles.tool}
        icon="wand-sparkles"
        size={15}
        label="Tidy up"
        hint="L"
        onClick={run("canvas.tidy")}
      />
    </div>
  );
}
