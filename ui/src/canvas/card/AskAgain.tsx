// The button that repeats a call whose answer does not arrive, or ends a wait for a quota. The stalled
// attempt is abandoned.

import { useState } from "react";
import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import { tip } from "../../components/tip";
import { errorMessage } from "../../ipc/client";
import { sessionOf, shownRun, useRuns } from "../../runs/session/store";
import { useChoice, useRunPart } from "../../runs/view/shown";
import { placeOf } from "../../runs/view/view";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import styles from "./RunPreview.module.css";

const RETRY_NOW = "Ends this attempt and repeats the call. The abandoned attempt may still be charged.";
const TRY_NOW = "Makes the call now. If the quota is still used up, the step waits again.";

/**
 * Shows, on a running card, the button that repeats the step's call immediately. `parked` is true if the step
 * waits for a quota.
 */
export function AskAgain({ id, parked = false }: { id: string; parked?: boolean }) {
  const choice = useChoice();
  const live = useRuns((s) => shownRun(s)?.live === true);
  const runId = useRuns((s) => shownRun(s)?.state.runId ?? null);
  const path = useRunPart((run) => placeOf(run, choice, id)?.scope.steps[id]?.path ?? null, null);
  const [asked, setAsked] = useState(false);
  if (!live || !runId || path === null) return null;
  const { askAgain } = sessionOf(runId);
  if (askAgain === null) return null;
  const ask = async () => {
    setAsked(true);
    try {
      await askAgain(path);
    } catch (error) {
      const detail = errorMessage(error);
      useSession.getState().toast({ tone: "error", title: "The call was not repeated", detail });
    } finally {
      setAsked(false);
    }
  };
  return (
    <div className={classes(styles.actions, "nodrag")}>
      <Button
        small
        icon="rotate-ccw"
        disabled={asked}
        {...tip(parked ? TRY_NOW : RETRY_NOW)}
        data-testid={testIds.askAgain(id)}
        onClick={() => void ask()}
      >
        {parked ? "Try now" : "Retry now"}
      </Button>
    </div>
  );
}
