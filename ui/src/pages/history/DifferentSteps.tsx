// The steps in which two runs differ, in short. Opening a step loads and shows its whole prompt and output.

import { useEffect, useState } from "react";
import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import noteStyles from "../../components/Note.module.css";
import { Skeletons } from "../../components/Skeletons";
import { tip } from "../../components/tip";
import { api, errorMessage } from "../../ipc/client";
import type { RunComparison, StepComparison, StepDifference, StepSide } from "../../ipc/generated/bindings";
import { formatCost, formatDuration, plural } from "../../runs/words/format";
import styles from "./CompareCard.module.css";
import { Parts } from "./Parts";

/** The number of rows shown at first; the others are shown on request. */
const AT_FIRST = 12;

export function DifferentSteps({ comparison }: { comparison: RunComparison }) {
  const [shown, setShown] = useState(AT_FIRST);
  const { steps, sameSteps, a, b } = comparison;
  return (
    <div className={classes(styles.steps, styles.wholeRow)}>
      <h4>
        {steps.length === 0
          ? "No step differs"
          : `${plural(steps.length, "step")} ${steps.length === 1 ? "differs" : "differ"}`}
        <span className="text-tertiary">, {plural(sameSteps, "step")} the same</span>
      </h4>
      {steps.slice(0, shown).map((step) => (
        <Row key={step.path} step={step} a={a.runId} b={b.runId} />
      ))}
      {steps.length > shown && (
        <Button small onClick={() => setShown(shown + 100)}>
          Show more
        </Button>
      )}
    </div>
  );
}

function Row({ step, a, b }: { step: StepDifference; a: string; b: string }) {
  const [open, setOpen] = useState(false);
  return (
    <div className={styles.step}>
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? "chevron-down" : "chevron-right"} size={12} />
        <code>{step.path}</code>
        <ShortSide side={step.a} mark="A" />
        <ShortSide side={step.b} mark="B" />
      </button>
      {open && <Whole a={a} b={b} path={step.path} />}
    </div>
  );
}

function ShortSide({ side, mark }: { side: StepSide | null; mark: string }) {
  if (side === null) return <span className="text-tertiary">{mark}: no such step</span>;
  const facts = [
    side.pinned ? "preset value" : side.status === "completed" ? null : side.status,
    side.branch === null ? null : `→ ${side.branch}`,
    formatDuration(side.durationMs),
    side.usage.calls > 0 ? formatCost(side.usage) : null,
  ];
  return (
    <span className="text-tertiary" {...tip(side.preview)}>
      {mark}: {facts.filter(Boolean).join(", ")}
    </span>
  );
}

function Whole({ a, b, path }: { a: string; b: string; path: string }) {
  const [whole, setWhole] = useState<StepComparison | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let wanted = true;
    api()
      .compareStep(a, b, path)
      .then(
        (step) => wanted && setWhole(step),
        (error) => wanted && setFailure(errorMessage(error)),
      );
    return () => {
      wanted = false;
    };
  }, [a, b, path]);
  if (failure !== null) return <p className={classes(noteStyles.note, "text-error")}>{failure}</p>;
  if (whole === null) return <Skeletons label="Reading the step" lines={4} />;
  return (
    <>
      {whole.prompt.length > 0 && (
        <div className={styles.output}>
          <h4>Prompt</h4>
          <Parts parts={whole.prompt} />
        </div>
      )}
      <div className={styles.output}>
        <h4>Output</h4>
        <Parts parts={whole.output} />
      </div>
    </>
  );
}
