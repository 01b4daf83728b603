// The settings of the open evaluation, in sections that have the order of the file.

import { Button, IconButton } from "../../../components/Button";
import { classes } from "../../../components/classes";
import formStyles from "../../../components/Form.module.css";
import { NumberField, Stepper, TextField } from "../../../components/fields";
import { Select } from "../../../components/Select";
import { tip } from "../../../components/tip";
import { useKinds } from "../../../document/kinds";
import { Fold } from "../../../inspector/form/Fold";
import { api, errorMessage } from "../../../ipc/client";
import type { Evaluation } from "../../../ipc/evaluation";
import { titleOf } from "../../../kernels/node-title";
import { plural } from "../../../runs/words/format";
import { useSession } from "../../../session/session";
import { useEvaluation } from "../evaluation-store";
import { Assertions } from "./Assertions";
import { OtherProblems, ProblemsAt, Row, without } from "./fields";
import { Range } from "./ScorerFields";
import { Scorers } from "./Scorers";
import styles from "./SettingsPanel.module.css";
import { Variants } from "./Variants";

const SHOWN_PLACES = [
  "name",
  "flow",
  "data",
  "variants",
  "baseline",
  "scorers",
  "perIteration",
  "primary",
  "margin",
  "repetitions",
  "concurrency",
  "budget",
  "sequential",
  "assert",
];

export function SettingsPanel() {
  const evaluation = useEvaluation((s) => s.evaluation);
  const path = useEvaluation((s) => s.opened?.path ?? "");
  const { change, showSettings } = useEvaluation.getState();
  if (evaluation === null) return null;
  const set = (some: Partial<Evaluation>) => change(some);
  return (
    <aside className={styles.settings} aria-label="Evaluation settings" data-region="settings">
      <header>
        <h2>Evaluation</h2>
        <IconButton icon="x" size={14} label="Close the settings" onClick={() => showSettings(false)} />
      </header>
      <div className={styles.section}>
        <OtherProblems places={SHOWN_PLACES} />
        <Row label="Name" place="name">
          <TextField label="Name" wide value={evaluation.name} onChange={(name) => set({ name })} />
        </Row>
        <Row label="Flow" place="flow">
          <TextField label="Flow" wide value={evaluation.flow} onChange={(flow) => set({ flow })} />
        </Row>
        <p className={classes(formStyles.hint, styles.path)} {...tip(path)}>
          {path}
        </p>
      </div>
      <Fold title="Data" note={evaluation.data.file} open>
        <DataSection evaluation={evaluation} />
      </Fold>
      <Fold title="Variants" note={plural(Math.max(1, evaluation.variants?.length ?? 0), "variant")} open>
        <Variants evaluation={evaluation} />
      </Fold>
      <Fold title="Scorers" note={plural(evaluation.scorers.length, "scorer")} open>
        <Scorers evaluation={evaluation} />
      </Fold>
      <Fold title="Comparison" open>
        <ComparisonSection evaluation={evaluation} />
      </Fold>
      <Fold title="Runs and budget">
        <RunsSection evaluation={evaluation} />
      </Fold>
      <Fold title="Assertions" note={plural(evaluation.assert?.length ?? 0, "assertion")}>
        <Assertions evaluation={evaluation} />
      </Fold>
    </aside>
  );
}

/**
 * Returns the names of the flow's inputs, read from its nodes, and of the inputs that the evaluation maps. If
 * the flow is unknown, only the latter are returned.
 */
function useInputNames(evaluation: Evaluation): string[] {
  const flow = useEvaluation((s) => s.flow);
  const named = (flow?.nodes ?? []).flatMap((node) =>
    node.type === "input" && typeof node.data.name === "string" ? [node.data.name] : [],
  );
  return [...new Set([...named, ...Object.keys(evaluation.data.inputs ?? {})])];
}

function DataSection({ evaluation }: { evaluation: Evaluation }) {
  const cases = useEvaluation((s) => s.cases);
  const casesFailure = useEvaluation((s) => s.casesFailure);
  const { change } = useEvaluation.getState();
  const inputs = useInputNames(evaluation);
  const { data } = evaluation;
  const set = (some: Partial<Evaluation["data"]>) => change({ data: without({ ...data, ...some }) });
  const pick = async () => {
    try {
      const file = await api().pickData();
      if (file !== null) set({ file });
    } catch (error) {
      useSession
        .getState()
        .toast({ tone: "error", title: "The file dialog could not be opened", detail: errorMessage(error) });
    }
  };
  const columns = cases?.columns ?? [];
  // A missing column for an input with a default is not an error. Without this warning, a misspelled name
  // would go unnoticed.
  const isUnused =
    inputs.length > 0 && (cases?.cases.length ?? 0) > 0 && cases?.cases.every((one) => isEmpty(one.inputs));
  const choices = (value: string | null | undefined) =>
    [...new Set([...columns, ...(value ? [value] : [])])].map((name) => ({ value: name, label: name }));
  return (
    <div className={styles.section}>
      <Row label="File" place="data.file">
        <TextField label="Data file" wide value={data.file} onChange={(file) => set({ file })} />
        <IconButton icon="folder-open" size={14} label="Choose a data file…" onClick={() => void pick()} />
      </Row>
      {inputs.map((input) => {
        const column = data.inputs?.[input];
        return (
          <Row
            key={input}
            label={input}
            help={`Column for the input ${input}`}
            place={`data.inputs.${input}`}
          >
            <Select
              wide
              label={`Column for ${input}`}
              testId={`eval-column-${input}`}
              value={column ?? ""}
              lead={[{ value: "", label: columns.includes(input) ? `${input} (same name)` : "none" }]}
              options={choices(column)}
              onChange={(next) => {
                const { [input]: _, ...rest } = data.inputs ?? {};
                const mapped = next === "" ? rest : { ...rest, [input]: next };
                set({ inputs: Object.keys(mapped).length > 0 ? mapped : undefined });
              }}
            />
          </Row>
        );
      })}
      <Row label="Expected" place="data.expected">
        <Select
          wide
          label="Column with the expected value"
          value={data.expected ?? ""}
          lead={[{ value: "", label: "expected, target or reference" }]}
          options={choices(data.expected)}
          onChange={(expected) => set({ expected: expected === "" ? undefined : expected })}
        />
      </Row>
      <Row label="Case id" place="data.id">
        <Select
          wide
          label="Column with the id of a case"
          value={data.id ?? ""}
          lead={[{ value: "", label: "id, or generated from the row" }]}
          options={choices(data.id)}
          onChange={(id) => set({ id: id === "" ? undefined : id })}
        />
      </Row>
      <ProblemsAt place="data" only />
      <ProblemsAt place="data.inputs" only />
      {cases !== null && casesFailure === null && (
        <p className={formStyles.hint}>
          {plural(cases.total, "case")}
          {cases.rejected.length > 0 && `, ${plural(cases.rejected.length, "row")} left out`}
        </p>
      )}
      {isUnused && (
        <p className={formStyles.fieldError} role="alert">
          <span>
            No input takes its value from a column, so every case is the same. Choose a column for at least
            one input.
          </span>
        </p>
      )}
      {cases?.notes.map((note) => (
        <p className={formStyles.hint} key={note}>
          {note}
        </p>
      ))}
      {cases !== null && cases.rejected.length > 0 && (
        <details className={styles.rejected}>
          <summary>Rows left out</summary>
          <ul>
            {cases.rejected.slice(0, 50).map(({ line, column, message }) => (
              <li key={`${line}/${column}`}>
                Line {line}: {message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

const isEmpty = (inputs: object): boolean => Object.keys(inputs).length === 0;

function ComparisonSection({ evaluation }: { evaluation: Evaluation }) {
  const flow = useEvaluation((s) => s.flow);
  const byType = useKinds((s) => s.byType);
  const { change } = useEvaluation.getState();
  const loops = (flow?.nodes ?? []).filter((node) => byType.get(node.type)?.repeats === "loop");
  const loop = evaluation.perIteration ?? "";
  const isKnown = loop === "" || loops.some(({ id }) => id === loop);
  const names = evaluation.variants?.map(({ name }) => name) ?? [];
  const orUndefined = (text: string) => (text === "" ? undefined : text);
  const set = (some: Partial<Evaluation>) => change(some);
  return (
    <div className={styles.section}>
      <Row
        label="Score each iteration of"
        place="perIteration"
        help="Every iteration of this loop is scored."
      >
        <Select
          wide
          label="Score each iteration of"
          testId="eval-per-iteration"
          value={loop}
          lead={[{ value: "", label: "no loop: results only" }]}
          options={[
            ...loops.map((node) => ({ value: node.id, label: titleOf(node) })),
            ...(isKnown ? [] : [{ value: loop, label: loop }]),
          ]}
          onChange={(next) => set({ perIteration: orUndefined(next) })}
        />
      </Row>
      <Row label="Primary scorer" place="primary">
        <Select
          wide
          label="Primary scorer"
          value={evaluation.primary ?? ""}
          lead={[{ value: "", label: "the first scorer" }]}
          options={evaluation.scorers.map(({ name }) => ({ value: name, label: name || "(no name)" }))}
          onChange={(next) => set({ primary: orUndefined(next) })}
        />
      </Row>
      <Row label="Margin" place="margin" help="Differences in the primary score up to this size are ignored.">
        <NumberField
          label="Margin"
          minimum={0}
          placeholder="0"
          value={evaluation.margin ?? null}
          onChange={(margin) => set({ margin: margin ?? undefined })}
        />
      </Row>
      {names.length > 1 && (
        <Row label="Baseline" place="baseline">
          <Select
            wide
            label="Baseline"
            value={evaluation.baseline ?? ""}
            lead={[{ value: "", label: "the first variant" }]}
            options={names.map((name) => ({ value: name, label: name }))}
            onChange={(next) => set({ baseline: orUndefined(next) })}
          />
        </Row>
      )}
    </div>
  );
}

function RunsSection({ evaluation }: { evaluation: Evaluation }) {
  const { change } = useEvaluation.getState();
  const set = (some: Partial<Evaluation>) => change(some);
  const { budget, sequential } = evaluation;
  const setBudget = (some: Evaluation["budget"]) => {
    const next = Object.fromEntries(Object.entries({ ...budget, ...some }).filter(([, n]) => n !== null));
    set({ budget: Object.keys(next).length > 0 ? next : undefined });
  };
  return (
    <div className={styles.section}>
      <Row label="Repetitions" place="repetitions" help="How many times each case runs with each variant.">
        <Stepper
          name="repetitions"
          label="Repetitions"
          minimum={1}
          placeholder={1}
          value={evaluation.repetitions ?? null}
          onChange={(n) => set({ repetitions: n ?? undefined })}
        />
      </Row>
      <Row label="Runs at once" place="concurrency">
        <Stepper
          name="runs at once"
          label="Runs at once"
          minimum={1}
          placeholder={8}
          value={evaluation.concurrency ?? null}
          onChange={(n) => set({ concurrency: n ?? undefined })}
        />
      </Row>
      <Row label="Budget" place="budget.usd">
        <NumberField
          label="Budget in dollars"
          unit="$"
          minimum={0}
          placeholder="no limit"
          value={budget?.usd ?? null}
          onChange={(usd) => setBudget({ usd })}
        />
      </Row>
      <Row label="Budget" place="budget.tokens">
        <NumberField
          label="Budget in tokens"
          unit="tokens"
          whole
          minimum={0}
          placeholder="no limit"
          value={budget?.tokens ?? null}
          onChange={(tokens) => setBudget({ tokens })}
        />
      </Row>
      <ProblemsAt place="budget" only />
      <Row
        label="Stop early"
        place="sequential"
        help="The experiment stops as soon as the comparison is decided."
      >
        {sequential ? (
          <Button small variant="ghost" onClick={() => set({ sequential: undefined })}>
            Run every case
          </Button>
        ) : (
          <Button small onClick={() => set({ sequential: { range: [0, 10] } })}>
            Stop once decided
          </Button>
        )}
      </Row>
      {sequential && (
        <Row label="Possible scores">
          <Range
            label="possible score"
            value={sequential.range}
            onChange={(range) => set({ sequential: { ...sequential, range } })}
          />
        </Row>
      )}
    </div>
  );
}
