// Zoom out, zoom in, fit, and the minimap toggle.

import { commandById } from "../../commands";
import { hintOf } from "../../commands/keyboard";
import { IconButton } from "../../components/Button";
import { classes } from "../../components/classes";
import floatStyles from "../../components/Float.module.css";
import { useSession } from "../../session/session";
import { useCurrentTransform } from "../detail";
import styles from "./ZoomBar.module.css";

/** Returns the props of a button that runs a command: label, shortcut and click handler. */
function byCommand(id: string) {
  const command = commandById(id);
  return { label: command.label, hint: hintOf(command), onClick: () => void command.run() };
}

export function ZoomBar() {
  const percent = useCurrentTransform(([, , zoom]) => Math.round(zoom * 100));
  const minimap = useSession((s) => s.minimap);
  return (
    <div className={classes(floatStyles.float, styles.zoom)}>
      <IconButton icon="minus" size={14} {...byCommand("canvas.zoomOut")} />
      <b>{percent}%</b>
      <IconButton icon="plus" size={14} {...byCommand("canvas.zoomIn")} />
      <span className={classes("divider", styles.space)} />
      <IconButton icon="maximize" size={14} {...byCommand("canvas.fit")} />
      <IconButton icon="map" size={14} on={minimap} {...byCommand("canvas.minimap")} />
    </div>
  );
}
