// A duration in human form ("5 s", "2 min"), stored in the document as ISO 8601.

import { useState } from "react";
import { classes } from "../../components/classes";
import fieldsStyles from "../../components/Fields.module.css";
import { WhyNot } from "../../components/fields";
import { durationToMs, msToDuration, readDuration, writeDuration } from "./duration";

type DurationFieldProps = {
  id?: string;
  label?: string;
  /** The duration in ISO 8601. Any other text is shown unchanged and marked as invalid. */
  value: string;
  /** The placeholder of an empty field: the default, or "none". */
  placeholder: string;
  /** Called with undefined when the field loses the focus while it is empty. */
  onChange(value: string | undefined): void;
  describedBy?: string;
  invalid?: boolean;
};

export const shownDuration = (iso: string): string => {
  const ms = durationToMs(iso);
  return ms === null ? iso : writeDuration(ms);
};

export function DurationField(props: DurationFieldProps) {
  const { value, onChange } = props;
  const [draft, setDraft] = useState<string | null>(null);
  const text = draft ?? shownDuration(value);
  const wrong = text.trim() !== "" && readDuration(text) === null;
  const bad = wrong || props.invalid === true;
  return (
    <span
      className={classes(fieldsStyles.field, "field", fieldsStyles.native, "native", bad && fieldsStyles.bad)}
    >
      <input
        id={props.id}
        aria-label={props.label}
        aria-describedby={props.describedBy}
        aria-invalid={bad || undefined}
        value={text}
        placeholder={props.placeholder}
        onChange={(e) => {
          setDraft(e.target.value);
          const ms = readDuration(e.target.value);
          if (ms !== null) onChange(msToDuration(ms));
        }}
        onBlur={() => {
          // The value is removed only on blur. The user may empty the field to retype it, and settings next
          // to it depend on the value.
          if (draft !== null && draft.trim() === "") onChange(undefined);
          if (!wrong) setDraft(null);
        }}
      />
      {wrong && <WhyNot text="Enter a time such as 5 s, 2 min or 1 h 30 min." />}
    </span>
  );
}
