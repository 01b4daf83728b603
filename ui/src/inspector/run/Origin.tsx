// Shows the origin of a fork: the original run, the change, and links to both runs.
import { useEffect, useState } from "react";
import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import messageStyles from "../../components/RunMessage.module.css";
import { api } from "../../ipc/client";
import type { FlowDoc, RunOrigin } from "../../ipc/generated/bindings";
import { compareWithOriginal } from "../../pages/history/actions";
import { placeWords } from "../../runs/fold/path";

/** Loads the origin of a fork. Returns null until it is loaded, and for a run that is not a fork. */
function useOrigin(runId: string): RunOrigin | null {
  const [found, setFound] = useState<{ of: string; origin: RunOrigin | null } | null>(null);
  useEffect(() => {
    if (runId === "") return;
    let isWanted = true;
    api()
      .runDetail(runId)
      .then(
        ({ origin }) => isWanted && setFound({ of: runId, origin }),
        // If the original run was deleted meanwhile, no origin is shown.
        () => undefined,
      );
    return () => {
      isWanted = false;
    };
  }, [runId]);
  return found?.of === runId ? found.origin : null;
}

export function Origin({ runId, document }: { runId: string; document: FlowDoc }) {
  const origin = useOrigin(runId);
  if (origin === null) return null;
  return (
    <div className={classes(messageStyles.message, messageStyles.quiet)} data-testid="fork-origin">
      <Icon name="git-fork" />
      <span>A fork, made at {placeWords(origin.at, document)}.</span>
      <span className="grow" />
      <Button small onClick={() => compareWithOriginal(runId, origin.runId)}>
        Compare with original
      </Button>
    </div>
  );
}
