// A notice that the rest of the shown content is still loading, or why it cannot be loaded.

import { classes } from "../../components/classes";
import { Message } from "../../components/Message";
import noteStyles from "../../components/Note.module.css";
import { useSlow } from "../../components/Skeletons";
import type { Loaded } from "../../runs/view/step-detail";

/**
 * Shows the state of partially loaded text: that the rest is loading, if that takes long, or why loading
 * failed.
 */
export function StillReading({ of }: { of: readonly Loaded[] }) {
  const slow = useSlow(of.some((one) => one.state === "loading"));
  const failed = of.find((one) => one.state === "failed");
  if (failed?.state === "failed") {
    return (
      <p className={classes(noteStyles.note, "text-error")} role="alert">
        Only the beginning is shown; the rest could not be read. <Message text={failed.message} />
      </p>
    );
  }
  return slow ? (
    <p className={noteStyles.note} role="status">
      Reading the rest of the text…
    </p>
  ) : null;
}
