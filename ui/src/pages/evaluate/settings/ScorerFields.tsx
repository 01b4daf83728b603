// The fields of one scorer, which depend on its type.
import { classes } from "../../../components/classes";
import { NumberField, Switch, TextArea, TextField } from "../../../components/fields";
import { Select } from "../../../components/Select";
import { TextListField } from "../../../components/TextListField";
import type { Scorer } from "../../../ipc/evaluation";
import { OptionalText, Row, ValueText, without } from "./fields";
import styles from "./SettingsPanel.module.css";

export const SCORER_TYPES: readonly (readonly [type: Scorer["type"], label: string])[] = [
  ["exact", "Equals"],
  ["contains", "Contains"],
  ["regex", "Matches a pattern"],
  ["json_schema", "Matches a JSON schema"],
  ["similarity", "Similarity"],
  ["expression", "Expression"],
  ["script", "Script"],
  ["llm", "A model rates"],
  ["pairwise", "A model compares"],
  ["flow", "A flow rates"],
  ["check", "A command checks"],
  ["human", "A person rates"],
];

/** Returns a new scorer of a type, with its required fields filled. */
export function blankScorer(name: string, type: Scorer["type"]): Scorer {
  switch (type) {
    case "regex":
      return { name, type, pattern: "" };
    case "json_schema":
      return { name, type, schema: { type: "object" } };
    case "expression":
      return { name, type, expression: "result | length > 0" };
    case "script":
      return { name, type, language: "python", code: "len(result) > 0" };
    case "llm":
      return { name, type, rubric: "", scale: [0, 10] };
    case "pairwise":
      return { name, type, rubric: "" };
    case "flow":
      return { name, type, flow: "" };
    case "check":
      return { name, type, command: [] };
    default:
      return { name, type };
  }
}

interface ScorerFieldsProps {
  scorer: Scorer;
  place: string;
  onChange(scorer: Scorer): void;
}

export function ScorerFields({ scorer, place, onChange }: ScorerFieldsProps) {
  const set = <S extends Scorer>(of: S, change: Partial<S>) => onChange(without({ ...of, ...change }));
  switch (scorer.type) {
    case "exact":
    case "contains":
      return (
        <>
          <Row
            label="Value"
            place={`${place}.value`}
            help="If empty, the result is compared with the expected value of the case."
          >
            <ValueText
              label="Value"
              placeholder="the expected value"
              value={scorer.value}
              onChange={(value) => set(scorer, { value: value === "" ? undefined : value })}
            />
          </Row>
          <Row label="Ignore case">
            <Switch
              label="Ignore case"
              on={scorer.ignoreCase ?? false}
              onChange={(on) => set(scorer, { ignoreCase: on || undefined })}
            />
          </Row>
        </>
      );
    case "regex":
      return (
        <Row label="Pattern" place={`${place}.pattern`}>
          <TextField
            label="Pattern"
            wide
            mono
            value={scorer.pattern}
            onChange={(pattern) => set(scorer, { pattern })}
          />
        </Row>
      );
    case "json_schema":
      return (
        <Row label="Schema" place={`${place}.schema`}>
          <ValueText
            label="Schema"
            area
            value={scorer.schema}
            onChange={(schema) => set(scorer, { schema })}
          />
        </Row>
      );
    case "similarity":
      return (
        <Row label="Compared with" place={`${place}.value`}>
          <OptionalText
            label="Compared with"
            placeholder="the expected value"
            value={scorer.value}
            onChange={(value) => set(scorer, { value })}
          />
        </Row>
      );
    case "expression":
      return (
        <Row
          label="Expression"
          place={`${place}.expression`}
          help="The expression can use result, output, expected, case and run."
        >
          <TextArea
            label="Expression"
            mono
            rows={2}
            value={scorer.expression}
            onChange={(expression) => set(scorer, { expression })}
          />
        </Row>
      );
    case "script":
      return (
        <>
          <Row label="Language" place={`${place}.language`}>
            <Select
              label="Language"
              value={scorer.language}
              options={[
                { value: "python", label: "Python" },
                { value: "javascript", label: "JavaScript" },
                { value: "luau", label: "Luau" },
              ]}
              onChange={(language) => set(scorer, { language })}
            />
          </Row>
          <Row label="Code" place={`${place}.code`}>
            <TextArea label="Code" mono value={scorer.code} onChange={(code) => set(scorer, { code })} />
          </Row>
        </>
      );
    case "llm":
    case "pairwise":
      return (
        <>
          <Row label="Rubric" place={`${place}.rubric`}>
            <TextArea
              label="Rubric"
              placeholder="Describe what makes a result good."
              value={scorer.rubric}
              onChange={(rubric) => set(scorer, { rubric })}
            />
          </Row>
          {scorer.type === "llm" && (
            <Row label="Scale" place={`${place}.scale`}>
              <Range
                value={scorer.scale ?? [0, 10]}
                label="score"
                onChange={(scale) => set(scorer, { scale })}
              />
            </Row>
          )}
          <Row label="Model" place={`${place}.model`}>
            <OptionalText
              label="Model"
              placeholder="the model from Settings"
              value={scorer.model}
              onChange={(model) => set(scorer, { model })}
            />
          </Row>
          <Row label="Provider" place={`${place}.provider`}>
            <OptionalText
              label="Provider"
              placeholder="the provider from Settings"
              value={scorer.provider}
              onChange={(provider) => set(scorer, { provider })}
            />
          </Row>
        </>
      );
    case "flow":
      return (
        <>
          <Row label="Flow" place={`${place}.flow`}>
            <TextField
              label="Flow that rates"
              wide
              placeholder="judge.flow.json"
              value={scorer.flow}
              onChange={(flow) => set(scorer, { flow })}
            />
          </Row>
          <Row label="Output" place={`${place}.output`}>
            <OptionalText
              label="Output with the score"
              placeholder="the only output"
              value={scorer.output}
              onChange={(output) => set(scorer, { output })}
            />
          </Row>
        </>
      );
    case "check":
      return (
        <Row
          label="Command"
          place={`${place}.command`}
          help="The program, followed by its arguments, one per field."
        >
          <TextListField
            label="Command"
            value={scorer.command}
            onChange={(command) => set(scorer, { command })}
          />
        </Row>
      );
    case "human":
      return (
        <Row label="Rubric" place={`${place}.rubric`}>
          <OptionalText
            label="Rubric"
            placeholder="the question that people answer"
            value={scorer.rubric}
            onChange={(rubric) => set(scorer, { rubric })}
          />
        </Row>
      );
  }
}

export function Range({
  value: [low, high],
  label,
  onChange,
}: {
  value: [number, number];
  label: string;
  onChange(value: [number, number]): void;
}) {
  return (
    <span className={classes("row", styles.range)}>
      <NumberField
        label={`Smallest ${label}`}
        value={low}
        onChange={(n) => n !== null && onChange([n, high])}
      />
      to
      <NumberField
        label={`Largest ${label}`}
        value={high}
        onChange={(n) => n !== null && onChange([low, n])}
      />
    </span>
  );
}
