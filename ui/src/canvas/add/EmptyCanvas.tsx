// The hint in an empty flow: one sentence and two ways to continue.

import { commandById } from "../../commands";
import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import emptyStyles from "../../components/Empty.module.css";
import { offersOf } from "../../document/build";
import { useKinds } from "../../document/kinds";
import { useSession } from "../../session/session";
import styles from "./EmptyCanvas.module.css";
import { insertAtCentre } from "./insert";

export function EmptyCanvas() {
  const kinds = useKinds((s) => s.kinds);
  const input = offersOf(kinds, []).find((offer) => offer.kind.shape === "input");
  return (
    <div className={styles.emptyCanvas}>
      <div className={classes(emptyStyles.empty, styles.hint)}>
        <b>Nothing here yet</b>
        <span>
          Drag a node in, press <kbd>A</kbd>, or start from a template.
        </span>
        <div className={classes("row", styles.actions)}>
          {input ? (
            <Button small icon="plus" onClick={() => insertAtCentre(input)}>
              Add an {input.title}
            </Button>
          ) : (
            <Button small icon="plus" onClick={() => void commandById("node.quickAdd").run()}>
              Add a node
            </Button>
          )}
          <Button small onClick={() => useSession.getState().show("gallery")}>
            Templates
          </Button>
        </div>
      </div>
    </div>
  );
}
