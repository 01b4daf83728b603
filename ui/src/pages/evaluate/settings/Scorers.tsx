// The scorers: each has a name, a type, and the fields of its type.

import { Button, IconButton } from "../../../components/Button";
import { Switch, TextField } from "../../../components/fields";
import { Select } from "../../../components/Select";
import type { Evaluation, Scorer } from "../../../ipc/evaluation";
import { useEvaluation } from "../evaluation-store";
import { ProblemsAt, Row, without } from "./fields";
import { blankScorer, SCORER_TYPES, ScorerFields } from "./ScorerFields";
import styles from "./SettingsPanel.module.css";

export function Scorers({ evaluation }: { evaluation: Evaluation }) {
  const { change } = useEvaluation.getState();
  const { scorers } = evaluation;
  const set = (next: Scorer[]) => change({ scorers: next });
  const replace = (i: number, next: Scorer) => {
    const before = scorers[i]?.name;
    // When a scorer is renamed, the references to it are changed too.
    const primary =
      before !== undefined && evaluation.primary === before ? { primary: next.name } : undefined;
    change({ scorers: scorers.map((one, j) => (j === i ? next : one)), ...primary });
  };
  return (
    <div className={styles.section}>
      {scorers.map((scorer, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a scorer is edited in its place.
        <fieldset className={styles.item} key={i}>
          <legend className="sr-only">{scorer.name}</legend>
          <div className={styles.itemHead}>
            <TextField
              label="Scorer name"
              wide
              value={scorer.name}
              onChange={(name) => replace(i, { ...scorer, name })}
            />
            <IconButton
              icon="trash-2"
              size={13}
              label={`Remove ${scorer.name}`}
              onClick={() => set(scorers.filter((_, j) => j !== i))}
            />
          </div>
          <ProblemsAt place={`scorers[${i}].name`} />
          <Row label="Type" place={`scorers[${i}].type`}>
            <Select
              wide
              label={`Type of ${scorer.name}`}
              testId={`eval-scorer-type-${i}`}
              value={scorer.type}
              options={SCORER_TYPES.map(([value, label]) => ({ value, label }))}
              onChange={(type) =>
                replace(
                  i,
                  without({ ...blankScorer(scorer.name, type), lowerIsBetter: scorer.lowerIsBetter }),
                )
              }
            />
          </Row>
          <ScorerFields scorer={scorer} place={`scorers[${i}]`} onChange={(next) => replace(i, next)} />
          <Row label="Lower is better" help="For example, if the score is a number of errors.">
            <Switch
              label={`Lower is better for ${scorer.name}`}
              on={scorer.lowerIsBetter ?? false}
              onChange={(on) => replace(i, without({ ...scorer, lowerIsBetter: on || undefined }))}
            />
          </Row>
          <ProblemsAt place={`scorers[${i}]`} only />
        </fieldset>
      ))}
      <ProblemsAt place="scorers" only />
      <Button
        small
        icon="plus"
        onClick={() => set([...scorers, blankScorer(freeName(scorers), "expression")])}
      >
        Add a scorer
      </Button>
    </div>
  );
}

function freeName(scorers: readonly Scorer[]): string {
  const taken = new Set(scorers.map(({ name }) => name));
  for (let n = scorers.length + 1; ; n++) if (!taken.has(`scorer ${n}`)) return `scorer ${n}`;
}
