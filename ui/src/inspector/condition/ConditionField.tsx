// A condition, such as the one that ends a loop or takes a branch. Pickers edit it if they can represent it,
// otherwise a text field. Both edit the same expression.

import { useId, useState } from "react";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Segmented } from "../../components/fields";
import { type Condition, isComplete, readCondition, writeCondition } from "../../kernels/condition";
import { FieldCode } from "../form/code/FieldCode";
import { Preview } from "../form/code/Preview";
import styles from "./Condition.module.css";
import { ConditionRows, NEW_ROW } from "./ConditionRows";
import type { NameGroup } from "./names";

type EditorMode = "pickers" | "text";

export type ConditionFieldProps = {
  nodeId: string;
  names: readonly NameGroup[];
  expression: string;
  /** The path of the expression in the node's data. */
  place: string;
  /**
   * The paths by which a problem's link finds this field, if they differ from `place`: first the path of the
   * whole field, then the path of the row with its title.
   */
  fields?: readonly [string, string];
  /** The displayed title. */
  title?: string;
  placeholder: string;
  onChange(expression: string): void;
};

export function ConditionField(props: ConditionFieldProps) {
  const { nodeId, expression, place, fields = [place, undefined], title = "Test", onChange } = props;
  const id = useId();
  const [mode, setMode] = useState<EditorMode>("pickers");
  const read = readCondition(expression);
  const shown: EditorMode = read === null ? "text" : mode;
  return (
    <div className={styles.mode} data-field={fields[0]}>
      <div className={formStyles.formRow} data-field={fields[1]}>
        <label htmlFor={id}>{title}</label>
        <Segmented<EditorMode>
          small
          label={title === "Test" ? "How the test is written" : `How the test “${title}” is written`}
          value={shown}
          options={[
            { value: "pickers", label: "Builder" },
            { value: "text", label: "Code" },
          ]}
          onChange={setMode}
        />
      </div>
      {shown === "pickers" && read !== null ? (
        <Pickers {...props} read={read} />
      ) : (
        <>
          <FieldCode
            language="expression"
            nodeId={nodeId}
            place={place}
            id={id}
            label={title}
            testId="condition-text"
            value={expression}
            placeholder={props.placeholder}
            onChange={onChange}
          />
          {read === null && mode === "pickers" && (
            <p className={formStyles.hint} data-testid="only-text">
              The builder cannot show this test. Edit it as code.
            </p>
          )}
        </>
      )}
      <Preview nodeId={nodeId} place={place} value={expression} />
    </div>
  );
}

/** This component keeps incomplete rows, since the expression contains only complete ones. */
function Pickers({ names, expression, read, onChange }: ConditionFieldProps & { read: Condition }) {
  const [draft, setDraft] = useState<{ condition: Condition; of: string } | null>(null);
  const kept = draft !== null && draft.of === expression ? draft.condition : read;
  const condition = kept.rows.length > 0 ? kept : { joined: kept.joined, rows: [NEW_ROW] };
  const open = condition.rows.filter((row) => !isComplete(row)).length;
  return (
    <>
      <ConditionRows
        condition={condition}
        names={names}
        onChange={(next) => {
          const written = writeCondition(next);
          setDraft({ condition: next, of: written });
          if (written !== expression) onChange(written);
        }}
      />
      <code
        className={classes(styles.written, expression === "" && styles.none)}
        data-testid="condition-expression"
      >
        {expression === "" ? "no test yet" : expression}
      </code>
      {open > 0 && expression !== "" && (
        <p className={formStyles.hint}>Incomplete tests are left out of the expression.</p>
      )}
    </>
  );
}
