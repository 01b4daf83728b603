// The part of the dock's header for the timeline: the loop, step buttons, and whether the window follows the
// run.

import { Button, IconButton } from "../../components/Button";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import marksStyles from "../../components/Marks.module.css";
import { Select } from "../../components/Select";
import type { RunStatus } from "../../ipc/generated/bindings";
import { titleIn } from "../../kernels/node-title";
import { iterationTarget, useFork } from "../../runs/session/fork";
import { chooseLoopIteration, followLive, stepIteration, useTimelineLoop } from "../../runs/view/cursor";
import { useChoice, useIsRunning, useLoopRecord, useRunPart, useTimelineRun } from "../../runs/view/shown";
import { shownIteration } from "../../runs/view/view";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import { focusChosen, useTimelineLoopId } from "./Timeline";
import styles from "./TimelineControls.module.css";

/**
 * Returns a handler that runs the action. If the pressed button is gone or disabled afterwards, the handler
 * focuses the chosen iteration.
 */
const pressed = (act: () => void) => () => {
  act();
  requestAnimationFrame(() => {
    const { activeElement, body } = document;
    if (activeElement !== null && activeElement !== body && !activeElement.matches(":disabled")) return;
    focusChosen(document);
  });
};

/** The text shown instead of "following" for a run that is suspended. */
const RESTING: Partial<Record<RunStatus, string>> = { paused: "Paused", waiting: "Waiting" };

export function TimelineControls() {
  const loopId = useTimelineLoopId();
  const loop = useLoopRecord(loopId);
  const choice = useChoice();
  const running = useIsRunning();
  const resting = useRunPart(({ status }) => RESTING[status] ?? null, null);
  if (loopId === null || loop === null) return null;
  const shown = shownIteration(loop, choice)?.number ?? 0;
  const chosen = Object.values(choice).some((c) => typeof c === "number");
  return (
    <>
      <LoopPicker loopId={loopId} />
      <fieldset className={styles.playback} aria-label="Scrub iterations">
        <IconButton
          icon="skip-back"
          size={14}
          label="First iteration"
          hint="{"
          disabled={shown <= 1}
          onClick={pressed(() => chooseLoopIteration(loopId, 1))}
        />
        <IconButton
          icon="step-back"
          size={14}
          label="Previous iteration"
          hint="["
          disabled={shown <= 1}
          onClick={pressed(() => stepIteration(loopId, -1))}
        />
        <IconButton
          icon="step-forward"
          size={14}
          label="Next iteration"
          hint="]"
          disabled={shown >= loop.iterations.length}
          onClick={pressed(() => stepIteration(loopId, 1))}
        />
        <IconButton
          icon="skip-forward"
          size={14}
          label="Latest iteration"
          hint="}"
          disabled={!chosen}
          onClick={pressed(() => chooseLoopIteration(loopId, "live"))}
        />
      </fieldset>
      <span className={classes("text-tertiary", styles.keys)} aria-hidden="true">
        <kbd>[</kbd> <kbd>]</kbd>
      </span>
      {shown > 0 && (
        <IconButton
          icon="git-fork"
          size={14}
          label={`Fork from iteration ${shown}`}
          data-testid="fork-iteration"
          onClick={() => {
            const target = iterationTarget(loopId);
            if (target !== null) useFork.getState().open(target);
          }}
        />
      )}
      <span className="grow" />
      {chosen && shown > 0 && <span className={styles.showing}>Showing iteration {shown}</span>}
      {chosen ? (
        <button
          type="button"
          className={classes(styles.live, styles.back)}
          data-testid={testIds.backToLive}
          onClick={pressed(followLive)}
        >
          <Icon name="skip-forward" size={12} />
          {running ? "Back to live" : "Back to latest"}
        </button>
      ) : running ? (
        <span className={styles.live} data-testid="following-live">
          {resting === null && <i className={classes(marksStyles.dot, marksStyles.pulse)} />}
          {resting ?? "Following live"}
        </span>
      ) : null}
    </>
  );
}

function LoopPicker({ loopId }: { loopId: string }) {
  const view = useTimelineRun();
  const pick = useTimelineLoop((s) => s.pick);
  if (!view) return null;
  const ids = view.state.loopIds;
  if (ids.length <= 1) {
    return (
      <Button small variant="loop" icon="refresh-cw" onClick={() => useSession.getState().select([loopId])}>
        {titleIn(view.document, loopId)}
      </Button>
    );
  }
  return (
    <Select
      className={styles.loopSelect}
      label="Loop shown in the timeline"
      value={loopId}
      options={ids.map((id) => ({ value: id, label: titleIn(view.document, id) }))}
      onChange={pick}
    />
  );
}
