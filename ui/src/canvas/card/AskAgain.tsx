// The button that repeats a call whose answer does not arrive. The stalled attempt is abandoned.

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

export function AskAgain({ id }: { id: string }) {
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
        {...tip("Ends this attempt and repeats the call. The abandoned attempt may still be charged.")}
        data-testid={testIds.askAgain(id)}
        onClick={() => void ask()}
      >
        Retry now
      </Button>
    </div>
  );
}
