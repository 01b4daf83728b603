// A value in one line: a template or other JSON. A number remains a number.

import { useState } from "react";
import { TextField } from "../../components/fields";
import { Select } from "../../components/Select";
import type { Json } from "../../ipc/generated/bindings";
import { FieldCode } from "./code/FieldCode";
import styles from "./ValueField.module.css";

type ValueFieldProps = {
  label: string;
  nodeId: string | null;
  /** The path of the value in the node's data. */
  place: string;
  value: Json;
  placeholder: string;
  /** Called with undefined if the value is removed. */
  onChange(value: Json): void;
};

type Form = "text" | "JSON";

export function ValueField({ label, nodeId, place, value, placeholder, onChange }: ValueFieldProps) {
  const form: Form = typeof value === "string" || value === undefined ? "text" : "JSON";
  const written = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  const [draft, setDraft] = useState<{ text: string; of: string } | null>(null);
  const text = draft !== null && draft.of === written ? draft.text : written;
  const parsed = form === "JSON" ? parse(text) : text;
  return (
    <span className={styles.valueField}>
      {form === "text" ? (
        <FieldCode
          language="template"
          nodeId={nodeId}
          place={place}
          label={label}
          placeholder={placeholder}
          value={text}
          onChange={(next) => onChange(next === "" ? undefined : next)}
        />
      ) : (
        <TextField
          mono
          label={label}
          placeholder={placeholder}
          value={text}
          invalid={parsed === undefined}
          onChange={(next) => {
            const json = parse(next);
            setDraft({ text: next, of: json === undefined ? written : JSON.stringify(json) });
            if (json !== undefined) onChange(json);
          }}
        />
      )}
      <Select<Form>
        label={`Kind of ${label.toLowerCase()}`}
        value={form}
        options={[
          { value: "text", label: "text", title: "Text; {{ }} inserts values" },
          { value: "JSON", label: "JSON", title: "A number, true, false, a list or an object" },
        ]}
        onChange={(next) => {
          setDraft(null);
          if (next === "text") onChange(typeof value === "string" ? value : written);
          else onChange(parse(written) ?? (written === "" ? 0 : written));
        }}
      />
    </span>
  );
}

/**
 * Parses a string as JSON; returns undefined if it is not JSON or if it is a JSON string, since strings are
 * edited as plain text.
 */
function parse(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return typeof value === "string" || value === null ? undefined : value;
  } catch {
    return undefined;
  }
}
