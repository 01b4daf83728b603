// The rows of an evaluation's settings, each with the problems at its place.

import { type ReactNode, useState } from "react";
import formStyles from "../../../components/Form.module.css";
import { TextArea, TextField } from "../../../components/fields";
import { Message } from "../../../components/Message";
import { tip } from "../../../components/tip";
import type { EvaluationProblem } from "../../../ipc/evaluation";
import type { Json } from "../../../ipc/generated/bindings";
import { useEvaluation } from "../evaluation-store";
import { parseValue, valueText } from "./json-text";
import styles from "./SettingsPanel.module.css";

/** Returns whether a problem belongs to the path `place`, such as `scorers[0].name`, or to a part of it. */
const isAt = (problem: EvaluationProblem, place: string): boolean =>
  problem.place === place || problem.place.startsWith(`${place}.`) || problem.place.startsWith(`${place}[`);

/**
 * Returns the problems at the path `place` and its parts. With `only`, returns only those at the path itself.
 */
export function useProblems(place: string, only = false): EvaluationProblem[] {
  const problems = useEvaluation((s) => s.problems);
  return problems.filter((problem) => (only ? problem.place === place : isAt(problem, place)));
}

export function ProblemsAt({ place, only }: { place: string; only?: boolean }) {
  const problems = useProblems(place, only);
  return problems.map(({ place: at, message }) => (
    <p
      className={formStyles.fieldError}
      role="alert"
      key={`${at}: ${message}`}
      data-testid={`eval-problem-${at}`}
    >
      <span>
        <Message text={message} />
      </span>
    </p>
  ));
}

/**
 * Shows the problems that belong to none of the paths in `places`. The problems at these paths are shown at
 * their own fields.
 */
export function OtherProblems({ places }: { places: readonly string[] }) {
  const problems = useEvaluation((s) => s.problems);
  return problems
    .filter((problem) => !places.some((place) => isAt(problem, place)))
    .map(({ place, message }) => (
      <p
        className={formStyles.fieldError}
        role="alert"
        key={`${place}: ${message}`}
        data-testid={`eval-problem-${place}`}
      >
        <span>
          <Message text={message} />
        </span>
      </p>
    ));
}

/** A labelled control with its problems below. */
export function Row({
  label,
  help,
  place,
  children,
}: {
  label: string;
  help?: string;
  place?: string;
  children: ReactNode;
}) {
  return (
    <div>
      <div className={styles.fieldRow}>
        <span className={styles.label} {...tip(help)}>
          {label}
        </span>
        {children}
      </div>
      {place !== undefined && <ProblemsAt place={place} />}
    </div>
  );
}

/** A text field whose value is omitted from the file if it is empty. */
export function OptionalText({
  label,
  value,
  onChange,
  placeholder,
  mono,
}: {
  label: string;
  value: string | null | undefined;
  onChange(value: string | undefined): void;
  placeholder?: string;
  mono?: boolean;
}) {
  return (
    <TextField
      label={label}
      wide
      mono={mono}
      placeholder={placeholder}
      value={value ?? ""}
      onChange={(text) => onChange(text === "" ? undefined : text)}
    />
  );
}

/**
 * A value typed as JSON or text. The typed text stays in the field as long as it parses to the current value.
 */
export function ValueText({
  label,
  value,
  onChange,
  placeholder,
  area,
  rows,
}: {
  label: string;
  value: Json;
  onChange(value: Json): void;
  placeholder?: string;
  area?: boolean;
  /** The number of lines of an empty text area. */
  rows?: number;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const isSame = typed !== null && JSON.stringify(parseValue(typed)) === JSON.stringify(value ?? "");
  const common = {
    label,
    placeholder,
    mono: true,
    value: isSame ? typed : valueText(value),
    onChange: (text: string) => {
      setTyped(text);
      onChange(parseValue(text));
    },
  };
  return area ? <TextArea rows={rows} {...common} /> : <TextField wide {...common} />;
}

/** Returns an object without its undefined values, as it is stored in a file. */
export function without<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;
}
