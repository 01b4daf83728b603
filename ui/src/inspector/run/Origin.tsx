// Of a fork: which run it comes from and from where on it differs, with the way to both beside each other.
import { useEffect, useState } from "react";
import { Button } from "../../components/Button";
import { Icon } from "../../components/Icon";
import { api } from "../../ipc/client";
import type { FlowDoc, RunOrigin } from "../../ipc/generated/bindings";
import { compareWithOriginal } from "../../pages/history/actions";
import { placeWords } from "../../runs/fold/path";

/** The origin of a run, once it is read; null of a run that is no fork. */
function useOrigin(runId: string): RunOrigin | null {
  const [found, setFound] = useState<{ of: string; origin: RunOrigin | null } | null>(null);
  useEffect(() => {
    if (runId === "") return;
    let isWanted = true;
    api()
      .runDetail(runId)
      .then(
        ({ origin }) => isWanted && setFound({ of: runId, origin }),
        // A run that was deleted meanwhile is shown as it is.
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
    <div className="run-message quiet" data-testid="fork-origin">
      <Icon name="git-fork" />
      <span>A fork. It differs from {placeWords(origin.at, document)} on.</span>
      <span className="grow" />
      <Button small onClick={() => compareWithOriginal(runId, origin.runId)}>
        Compare with original
      </Button>
    </div>
  );
}
