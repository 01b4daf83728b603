// The foot of the run inspector: the run's budget, and the actions available at the shown place.

import { commandById } from "../../commands";
import { isPossible } from "../../commands/command";
import { hintOf } from "../../commands/keyboard";
import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import { tip } from "../../components/tip";
import { usePin } from "../../runs/inputs/pins";
import { useFork } from "../../runs/session/fork";
import { useChoice, useRunPart } from "../../runs/view/shown";
import { placeOf } from "../../runs/view/view";
import styles from "./RunFoot.module.css";

const hint = (id: string) => hintOf(commandById(id));

export function InspFoot({ nodeId }: { nodeId: string }) {
  const choice = useChoice();
  const ran = useRunPart((run) => placeOf(run, choice, nodeId)?.scope.steps[nodeId] !== undefined, false);
  const pinned = usePin(nodeId) !== null;
  const open = useFork((s) => s.target !== null);
  const canPinNow = isPossible(commandById("node.pin"));
  return (
    <div className={styles.foot} data-testid="inspector-foot">
      <Button
        icon="git-fork"
        className={classes(styles.fork, open && styles.open)}
        disabled={!ran}
        aria-haspopup="dialog"
        aria-expanded={open}
        {...tip("Change one value and run the rest again", hint("run.fork"))}
        data-testid="fork-from-here"
        onClick={() => (open ? useFork.getState().close() : void commandById("run.fork").run())}
      >
        Fork from here…
      </Button>
      <Button
        icon="pin"
        aria-pressed={pinned}
        disabled={!canPinNow}
        {...tip("Use this value in every run", hint("node.pin"))}
        data-testid="pin-output"
        onClick={() => void commandById("node.pin").run()}
      >
        {pinned ? "Unpin" : "Pin output"}
      </Button>
    </div>
  );
}
