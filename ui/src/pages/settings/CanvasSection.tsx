// The behaviour and decorations of the canvas. They are stored together with the layout of the panels.
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Switch } from "../../components/fields";
import { Select } from "../../components/Select";
import { useSession } from "../../session/session";

export function CanvasSection() {
  const { minimap, wheel, patch } = useSession();
  return (
    <div className="card card-padding">
      <div className={classes(formStyles.formRow, "form-row")}>
        <label htmlFor="canvas-wheel">Mouse wheel, two fingers</label>
        <Select
          id="canvas-wheel"
          label="Mouse wheel, two fingers"
          value={wheel}
          options={[
            { value: "zoom", label: "zoom" },
            { value: "pan", label: "move the view" },
          ]}
          onChange={(value) => patch({ wheel: value })}
        />
      </div>
      <p className={classes(formStyles.hint, "hint")}>
        {wheel === "zoom"
          ? "To move the view, drag with the middle or right mouse button, or hold Space and drag."
          : "Shift moves the view sideways. Ctrl or a pinch zooms."}
      </p>
      <div className={classes(formStyles.formRow, "form-row")}>
        <label htmlFor="show-minimap">Minimap</label>
        <Switch id="show-minimap" on={minimap} onChange={(on) => patch({ minimap: on })} />
      </div>
    </div>
  );
}
