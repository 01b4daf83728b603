// The mark of a pinned node. Clicking it shows and edits the value.
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import { tip } from "../../components/tip";
import { usePin, usePins } from "../../runs/inputs/pins";
import { useRunPart } from "../../runs/view/shown";
import { placeOf } from "../../runs/view/view";
import { useChosenIteration } from "../../session/chosen-iteration";
import styles from "./PinMark.module.css";

/**
 * The text of the mark. A step records that its value was replaced, but not whether a pin or a fork replaced
 * it.
 */
const OVERRIDDEN = "A pin or a fork set its value in this run";

export function PinMark({ id }: { id: string }) {
  const pin = usePin(id);
  const choice = useChosenIteration((s) => s.chosen);
  const ranPinned = useRunPart((run) => placeOf(run, choice, id)?.scope.steps[id]?.pinned === true, false);
  if (pin === null) {
    if (!ranPinned) return null;
    return (
      <span
        className={classes(styles.pinMark, styles.past)}
        {...tip(OVERRIDDEN)}
        role="img"
        aria-label={OVERRIDDEN}
      >
        <Icon name="pin" size={12} />
      </span>
    );
  }
  return (
    <button
      type="button"
      className={classes(styles.pinMark, "nodrag")}
      {...tip("Pinned: runs use this value and skip the node. Click to see or change it.")}
      aria-label="Pinned. Show the value"
      data-testid={`pin-${id}`}
      onClick={(e) => {
        e.stopPropagation();
        usePins.getState().edit({ nodeId: id, value: pin.value });
      }}
    >
      <Icon name="pin" size={12} />
    </button>
  );
}
