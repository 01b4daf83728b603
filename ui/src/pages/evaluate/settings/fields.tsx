// Rows of the settings of an evaluation, with the problems at their place.
import { type ReactNode, useState } from "react";
import { TextArea, TextField } from "../../../components/fields";
import { Message } from "../../../components/Message";
import { tip } from "../../../components/tip";
import type { EvaluationProblem } from "../../../ipc/evaluation";
import type { Json } from "../../../ipc/generated/bindings";
import { useEvaluation } from "../evaluation-store";
import { parseValue, valueText } from "./json-text";

/** Whether a problem belongs to a place: there, or within it. */
const isAt = (problem: EvaluationProblem, place: string): boolean =>
  problem.place === place || problem.place.startsWith(`${place}.`) || problem.place.startsWith(`${place}[`);

/** `only`: there, and not within it. */
export function useProblems(place: string, only = false): EvaluationProblem[] {
  const problems = useEvaluation((s) => s.problems);
  return problems.filter((problem) => (only ? problem.place === place : isAt(problem, place)));
}

export function ProblemsAt({ place, only }: { place: string; only?: boolean }) {
  const problems = useProblems(place, only);
  return problems.map(({ place: at, message }) => (
    <p className="field-error" role="alert" key={`${at}: ${message}`} data-testid={`eval-problem-${at}`}>
      <span>
        <Message text={message} />
      </span>
    </p>
  ));
}

/** Problems at places that no field of the panel shows. */
export function OtherProblems({ places }: { places: readonly string[] }) {
  const problems = useEvaluation((s) => s.problems);
  return problems
    .filter((problem) => !places.some((place) => isAt(problem, place)))
    .map(({ place, message }) => (
      <p
        className="field-error"
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

/** A labelled control, and below it what is wrong with it. */
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
    <div className="eval-field">
      <div className="eval-field-row">
        <span className="eval-label" {...tip(help)}>
          {label}
        </span>
        {children}
      </div>
      {place !== undefined && <ProblemsAt place={place} />}
    </div>
  );
}

/** A text that is left out of the file when it is empty. */
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

/** Any value, typed as JSON or as a text. What is typed stays as it is typed while it means the same. */
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
  /** Lines of an area that is empty. */
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

/** An object without the keys whose value is undefined, as a file has it. */
export function without<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;
}
