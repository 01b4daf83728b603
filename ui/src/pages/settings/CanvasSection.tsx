// The behaviour and decorations of the canvas. They are stored together with the layout of the panels.

import cardStyles from "../../components/Card.module.css";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Switch } from "../../components/fields";
import { Select } from "../../components/Select";
import { useSession } from "../../session/session";
import styles from "../SettingsPage.module.css";

export function CanvasSection() {
  const { minimap, wheel, patch } = useSession();
  return (
    <div className={classes(cardStyles.card, styles.card, styles.padded)}>
      <div className={formStyles.formRow}>
        <label htmlFor="canvas-wheel">Mouse wheel or two fingers</label>
        <Select
          id="canvas-wheel"
          label="Mouse wheel or two fingers"
          value={wheel}
          options={[
            { value: "zoom", label: "zoom" },
            { value: "pan", label: "move the view" },
          ]}
          onChange={(value) => patch({ wheel: value })}
        />
      </div>
      <p className={formStyles.hint}>
        {wheel === "zoom"
          ? "To move the view, drag with the middle or right mouse button, or hold Space and drag."
          : "Hold Shift to move the view sideways. To zoom, hold Ctrl or pinch."}
      </p>
      <div className={formStyles.formRow}>
        <label htmlFor="show-minimap">Minimap</label>
        <Switch id="show-minimap" on={minimap} onChange={(on) => patch({ minimap: on })} />
      </div>
    </div>
  );
}
