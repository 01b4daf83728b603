// The assertions about the results: a bound for the mean score or cost, or no loss against another variant.

import { Button, IconButton } from "../../../components/Button";
import { NumberField } from "../../../components/fields";
import { Select } from "../../../components/Select";
import type { Assertion, Evaluation } from "../../../ipc/evaluation";
import { variantNames } from "../columns";
import { useEvaluation } from "../evaluation-store";
import { OptionalText, ProblemsAt, Row, without } from "./fields";
import styles from "./SettingsPanel.module.css";

export function Assertions({ evaluation }: { evaluation: Evaluation }) {
  const { change } = useEvaluation.getState();
  const assertions = evaluation.assert ?? [];
  const set = (next: Assertion[]) => change({ assert: next.length > 0 ? next : undefined });
  const names = variantNames(evaluation);
  const options = (values: readonly string[]) => values.map((value) => ({ value, label: value }));
  const orUndefined = (text: string) => (text === "" ? undefined : text);
  return (
    <div className={styles.section}>
      {assertions.map((one, i) => {
        const put = (some: Partial<Assertion>) =>
          set(assertions.map((other, j) => (j === i ? without({ ...one, ...some }) : other)));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: an assertion is edited in its place.
          <fieldset className={styles.item} key={i}>
            <legend className="sr-only">Assertion {i + 1}</legend>
            <div className={styles.itemHead}>
              <Select
                wide
                label="Variant"
                value={one.variant ?? ""}
                lead={[{ value: "", label: "Every variant" }]}
                options={options(names)}
                onChange={(next) => put({ variant: orUndefined(next) })}
              />
              <IconButton
                icon="trash-2"
                size={13}
                label={`Remove assertion ${i + 1}`}
                onClick={() => set(assertions.filter((_, j) => j !== i))}
              />
            </div>
            <Row label="Scorer">
              <Select
                wide
                label="Scorer"
                value={one.scorer ?? ""}
                lead={[{ value: "", label: "the primary scorer" }]}
                options={options(evaluation.scorers.map(({ name }) => name))}
                onChange={(next) => put({ scorer: orUndefined(next) })}
              />
            </Row>
            <Row label="Mean score">
              <OptionalText
                label="Mean score"
                mono
                placeholder=">= 7.5"
                value={one.mean}
                onChange={(mean) => put({ mean })}
              />
            </Row>
            <Row label="Cost per run">
              <OptionalText
                label="Cost per run in dollars"
                mono
                placeholder="<= 0.02"
                value={one.costUsd}
                onChange={(costUsd) => put({ costUsd })}
              />
            </Row>
            <Row label="No worse than">
              <Select
                wide
                label="No worse than"
                value={one.noWorseThan ?? ""}
                lead={[
                  { value: "", label: "not compared" },
                  { value: "baseline", label: "the baseline" },
                ]}
                options={options(names.filter((name) => name !== "baseline"))}
                onChange={(next) => put({ noWorseThan: orUndefined(next) })}
              />
            </Row>
            {one.noWorseThan && (
              <Row label="by more than">
                <NumberField
                  label="Margin of the assertion"
                  minimum={0}
                  placeholder="the margin"
                  value={one.margin ?? null}
                  onChange={(margin) => put({ margin: margin ?? undefined })}
                />
              </Row>
            )}
            <ProblemsAt place={`assert[${i}]`} />
          </fieldset>
        );
      })}
      <ProblemsAt place="assert" only />
      <Button small icon="plus" onClick={() => set([...assertions, {}])}>
        Add an assertion
      </Button>
    </div>
  );
}
