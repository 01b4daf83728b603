// The pickers of a condition: a row of value, operator and constant for each comparison.

import { useState } from "react";
import { Button, IconButton } from "../../components/Button";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Segmented, TextField } from "../../components/fields";
import { Select } from "../../components/Select";
import {
  COMPARISONS,
  type Condition,
  isName,
  type Operand,
  type Operator,
  operandTypes,
  operatorLabel,
  type Row,
  takesOperand,
} from "../../kernels/condition";
import styles from "./Condition.module.css";
import type { NameGroup } from "./names";

const OPERATOR_GROUPS: readonly { title: string; operators: readonly Operator[] }[] = [
  { title: "Compare", operators: COMPARISONS },
  { title: "Text and lists", operators: ["contains", "not contains", "starts with", "ends with"] },
  { title: "Regular expression", operators: ["matches", "not matches"] },
  { title: "Length", operators: COMPARISONS.map((c): Operator => `length ${c}`) },
  {
    title: "Without a second value",
    operators: ["is true", "is false", "is empty", "is not empty", "exists", "is missing"],
  },
];

const OPERAND_LABELS: Readonly<Record<Operand["type"], string>> = {
  text: "text",
  number: "number",
  boolean: "yes or no",
  nothing: "nothing",
  value: "a value",
};

/** An empty row. It is left out of the expression until a value is chosen. */
export const NEW_ROW: Row = { value: "", operator: "==", operand: { type: "text", text: "" } };

type RowsProps = {
  condition: Condition;
  names: readonly NameGroup[];
  onChange(condition: Condition): void;
};

export function ConditionRows({ condition, names, onChange }: RowsProps) {
  const { joined, rows } = condition;
  const set = (next: readonly Row[]) => onChange({ joined, rows: next });
  return (
    <div className={styles.rows} data-testid="condition-rows">
      {rows.length > 1 && (
        <div className={classes(formStyles.formRow, styles.joined)}>
          <span>Holds when</span>
          <Segmented
            small
            label="How the tests are joined"
            value={joined}
            options={[
              { value: "and", label: "all hold" },
              { value: "or", label: "any holds" },
            ]}
            onChange={(value) => onChange({ joined: value, rows })}
          />
        </div>
      )}
      {rows.map((row, i) => (
        <RowPickers
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its index, since all of it can change.
          key={i}
          row={row}
          number={i + 1}
          names={names}
          onChange={(next) => set(rows.map((r, j) => (j === i ? next : r)))}
          onRemove={rows.length > 1 ? () => set(rows.filter((_, j) => j !== i)) : null}
        />
      ))}
      <Button small icon="plus" onClick={() => set([...rows, NEW_ROW])}>
        Add a test
      </Button>
    </div>
  );
}

type RowProps = {
  row: Row;
  number: number;
  names: readonly NameGroup[];
  onChange(row: Row): void;
  onRemove: (() => void) | null;
};

function RowPickers({ row, number, names, onChange, onRemove }: RowProps) {
  const { operator, operand } = row;
  return (
    <fieldset className={styles.test} aria-label={`Test ${number}`}>
      <NamePicker
        label={`Value of test ${number}`}
        value={row.value}
        names={names}
        onChange={(value) => onChange({ ...row, value })}
      />
      {onRemove ? (
        <IconButton icon="x" size={13} small label={`Remove test ${number}`} onClick={onRemove} />
      ) : (
        <span />
      )}
      <div className={styles.comparison}>
        <OperatorPicker
          number={number}
          value={operator}
          onChange={(next) => onChange({ ...row, operator: next, operand: operandFor(next, operand) })}
        />
        {operand !== null && takesOperand(operator) && (
          <OperandPicker
            number={number}
            types={operandTypes(operator)}
            operand={operand}
            names={names}
            onChange={(next) => onChange({ ...row, operand: next })}
          />
        )}
      </div>
    </fieldset>
  );
}

/**
 * Returns the right side for the new operator: the previous one if the operator accepts its type, otherwise
 * the same text as the operator's default type. Null if the operator has no right side.
 */
export function operandFor(operator: Operator, before: Operand | null): Operand | null {
  if (!takesOperand(operator)) return null;
  const types = operandTypes(operator);
  if (before !== null && types.includes(before.type)) return before;
  const text = before !== null && "text" in before && before.type !== "value" ? before.text : "";
  return operandOf(types[0] ?? "text", text);
}

function operandOf(type: Operand["type"], text: string): Operand {
  if (type === "nothing") return { type };
  if (type === "boolean") return { type, text: text === "false" ? "false" : "true" };
  return { type, text };
}

function OperatorPicker(props: { number: number; value: Operator; onChange(operator: Operator): void }) {
  return (
    <Select
      label={`Operator of test ${props.number}`}
      value={props.value}
      options={[]}
      groups={OPERATOR_GROUPS.map((group) => ({
        title: group.title,
        options: group.operators.map((operator) => ({ value: operator, label: operatorLabel(operator) })),
      }))}
      onChange={props.onChange}
    />
  );
}

type OperandProps = {
  number: number;
  types: readonly Operand["type"][];
  operand: Operand;
  names: readonly NameGroup[];
  onChange(operand: Operand): void;
};

function OperandPicker({ number, types, operand, names, onChange }: OperandProps) {
  const text = "text" in operand ? operand.text : "";
  return (
    <>
      <Select
        label={`What test ${number} compares with`}
        value={operand.type}
        options={types.map((type) => ({ value: type, label: OPERAND_LABELS[type] }))}
        onChange={(type) => onChange(operandOf(type, text))}
      />
      {operand.type === "value" && (
        <NamePicker
          label={`Other value of test ${number}`}
          value={text}
          names={names}
          onChange={(name) => onChange({ type: "value", text: name })}
        />
      )}
      {operand.type === "boolean" && (
        <Select
          label={`Constant of test ${number}`}
          value={operand.text}
          options={[
            { value: "true", label: "yes (true)" },
            { value: "false", label: "no (false)" },
          ]}
          onChange={(value) => onChange({ type: "boolean", text: value })}
        />
      )}
      {(operand.type === "text" || operand.type === "number") && (
        <TextField
          label={`Constant of test ${number}`}
          value={text}
          invalid={operand.type === "number" && text !== "" && !/^\s*-?\d+(\.\d+)?\s*$/.test(text)}
          placeholder={operand.type === "number" ? "12" : "text"}
          onChange={(next) => onChange({ type: operand.type, text: next })}
        />
      )}
    </>
  );
}

/** A value that is never a name, since names contain no spaces. */
const NONE = " none";
const OTHER = " other";

/** A picker for a name: from the list, or any other name by typing it. */
function NamePicker(props: {
  label: string;
  value: string;
  names: readonly NameGroup[];
  onChange(name: string): void;
}) {
  const { label, value, names, onChange } = props;
  const [typing, setTyping] = useState(false);
  const known = names.some((group) => group.names.some((choice) => choice.name === value));
  const typed = typing || (value !== "" && !known);
  return (
    <span className={styles.name}>
      <Select
        wide
        className={styles.listed}
        label={label}
        value={typed ? OTHER : value === "" ? NONE : value}
        options={[
          ...(value === "" && !typed ? [{ value: NONE, label: "choose a value" }] : []),
          { value: OTHER, label: "another name…" },
        ]}
        groups={names.map((group) => ({
          title: group.title,
          options: group.names.map((choice) => ({
            value: choice.name,
            label: choice.last === null ? choice.name : `${choice.name}  ·  ${choice.last}`,
            title: choice.label,
          })),
        }))}
        onChange={(next) => {
          setTyping(next === OTHER);
          if (next !== OTHER) onChange(next === NONE ? "" : next);
        }}
      />
      {typed && (
        <TextField
          mono
          wide
          label={`${label}, typed`}
          placeholder="draft.score"
          value={value}
          invalid={value !== "" && !isName(value)}
          onChange={onChange}
        />
      )}
    </span>
  );
}
