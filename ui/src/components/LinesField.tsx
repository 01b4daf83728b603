// A list of names in a text area, one per line. For strings that may be empty or contain line breaks, use
// `TextListField`.
import { useState } from "react";
import { TextArea } from "./fields";

/** Returns the non-empty lines, including their leading and trailing spaces. */
export const linesOf = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");

export function LinesField({
  value,
  onChange,
  ...common
}: {
  id?: string;
  label?: string;
  testId?: string;
  value: readonly string[];
  placeholder?: string;
  describedBy?: string;
  onChange(value: string[]): void;
}) {
  // The text as typed. An empty line is not an item yet, but must not disappear under the cursor.
  const [typed, setTyped] = useState<string | null>(null);
  const text = value.join("\n");
  const shown = typed !== null && linesOf(typed).join("\n") === text ? typed : text;
  return (
    <TextArea
      mono
      rows={Math.max(1, Math.min(4, value.length))}
      value={shown}
      onChange={(next) => {
        setTyped(next);
        onChange(linesOf(next));
      }}
      {...common}
    />
  );
}
