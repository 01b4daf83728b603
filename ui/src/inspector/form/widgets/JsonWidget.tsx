// A JSON value as text. Invalid text stays in the field with the reason, and the last valid value applies.

import { useState } from "react";
import { CodeEditor } from "../../../components/CodeEditor";
import formStyles from "../../../components/Form.module.css";
import { useReportInvalid } from "../../../components/invalid-fields";
import type { WidgetProps } from "../widget-props";
import { TextAreaWidget } from "./basic";

/**
 * Edits a value of any type. The value is edited as text if the `dataType` next to it says that it is text.
 */
export function JsonWidget(props: WidgetProps) {
  const { field, data } = props;
  const ofText =
    field.name === "default" && ["text", "file", undefined].includes(data.dataType as string | undefined);
  return ofText ? <TextAreaWidget {...props} /> : <JsonEditor {...props} />;
}

function JsonEditor({ id, value, onChange, describedBy, invalid, field }: WidgetProps) {
  const written = value === undefined ? "" : JSON.stringify(value, null, 2);
  const [draft, setDraft] = useState<{ text: string; of: string } | null>(null);
  // When the value changes elsewhere (undo, another node), the draft is discarded.
  const text = draft !== null && draft.of === written ? draft.text : written;
  const error = parseError(text);
  useReportInvalid(error !== null);
  return (
    <>
      <CodeEditor
        id={id}
        label={field.title}
        language="json"
        rows={4}
        describedBy={error ? `${id}-json` : (describedBy ?? "")}
        invalid={invalid || error !== null}
        value={text}
        placeholder={field.fallback === null ? "" : JSON.stringify(field.fallback, null, 2)}
        onChange={(next) => {
          const parsed = next.trim() === "" ? undefined : parse(next);
          if (parsed instanceof SyntaxError) {
            setDraft({ text: next, of: written });
          } else {
            setDraft({ text: next, of: parsed === undefined ? "" : JSON.stringify(parsed, null, 2) });
            onChange(parsed);
          }
        }}
      />
      {error && (
        <p className={formStyles.fieldError} id={`${id}-json`} role="alert">
          Not valid JSON, so the last valid value is kept: {error}
        </p>
      )}
    </>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error instanceof SyntaxError ? error : new SyntaxError(String(error));
  }
}

function parseError(text: string): string | null {
  if (text.trim() === "") return null;
  const parsed = parse(text);
  return parsed instanceof SyntaxError ? parsed.message : null;
}
