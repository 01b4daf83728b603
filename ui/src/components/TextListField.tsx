// A list of strings, such as a program's arguments. Each has its own field, because a string may be empty or
// contain line breaks.

import { useRef } from "react";
import { Button, IconButton } from "./Button";
import styles from "./Fields.module.css";
import { TextArea } from "./fields";

export function TextListField({
  id,
  label,
  testId,
  value,
  placeholder,
  describedBy,
  onChange,
}: {
  /** The id of the first entry, or of the button that adds one. */
  id?: string;
  label: string;
  /** The test ids: `testId-0`, `testId-1`… for entries, `testId-add` for the button that adds one. */
  testId?: string;
  value: readonly string[];
  /** An example for the first entry. */
  placeholder?: string;
  describedBy?: string;
  onChange(value: string[]): void;
}) {
  const added = useRef<number | null>(null);
  const insert = (at: number) => {
    added.current = at;
    onChange(value.toSpliced(at, 0, ""));
  };
  return (
    <fieldset className={styles.textList} aria-label={label} aria-describedby={describedBy}>
      {value.map((text, i) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: an entry is identified by its index, since its text changes while typing.
          key={i}
          ref={(row) => {
            if (row === null || added.current !== i) return;
            added.current = null;
            row.querySelector("textarea")?.focus();
          }}
        >
          <TextArea
            mono
            id={i === 0 ? id : undefined}
            testId={testId && `${testId}-${i}`}
            label={`${label} ${i + 1}`}
            rows={1}
            value={text}
            placeholder="empty"
            onChange={(next) => onChange(value.with(i, next))}
            onKeyDown={(event) => {
              // Shift+Enter adds a line break.
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              insert(i + 1);
            }}
          />
          <IconButton
            icon="x"
            size={13}
            small
            label={`Remove ${label} ${i + 1}`}
            onClick={() => onChange(value.toSpliced(i, 1))}
          />
        </div>
      ))}
      <Button
        small
        icon="plus"
        id={value.length === 0 ? id : undefined}
        data-testid={testId && `${testId}-add`}
        onClick={() => insert(value.length)}
      >
        {value.length === 0 && placeholder !== undefined ? `Add, for example ${placeholder}` : "Add"}
      </Button>
    </fieldset>
  );
}
