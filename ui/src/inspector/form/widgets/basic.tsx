// Widgets for single values: text, numbers, switches, choices, durations.

import { useState } from "react";
import { classes } from "../../../components/classes";
import fieldsStyles from "../../../components/Fields.module.css";
import { NumberField, Segmented, Stepper, Switch, TextArea, TextField } from "../../../components/fields";
import { Select } from "../../../components/Select";
import { DurationField, shownDuration } from "../DurationField";
import { asNumber, asText, type WidgetProps } from "../widget-props";
import styles from "./Slider.module.css";

const shownDefault = (fallback: unknown): string =>
  typeof fallback === "string" || typeof fallback === "number" ? String(fallback) : "";

export function TextWidget({ id, field, value, onChange, describedBy, invalid }: WidgetProps) {
  return (
    <TextField
      wide
      id={id}
      describedBy={describedBy}
      invalid={invalid}
      value={asText(value)}
      placeholder={shownDefault(field.fallback)}
      onChange={(text) => onChange(text === "" ? undefined : text)}
    />
  );
}

export function TextAreaWidget({ id, field, value, onChange, describedBy, invalid }: WidgetProps) {
  // The default may be of any type. Until the user types, a value that is not a string is kept.
  const text =
    typeof value === "string" || value === undefined ? asText(value) : JSON.stringify(value, null, 2);
  return (
    <TextArea
      id={id}
      rows={4}
      describedBy={describedBy}
      invalid={invalid}
      value={text}
      placeholder={shownDefault(field.fallback)}
      onChange={(next) => onChange(next === "" ? undefined : next)}
    />
  );
}

export function IntegerWidget({ id, field, value, onChange, describedBy, invalid }: WidgetProps) {
  return (
    <Stepper
      id={id}
      name={field.title}
      describedBy={describedBy}
      invalid={invalid}
      value={asNumber(value)}
      placeholder={asNumber(field.fallback)}
      minimum={field.minimum}
      maximum={field.maximum}
      onChange={(n) => onChange(n ?? undefined)}
    />
  );
}

export function NumberWidget({ id, field, value, onChange, describedBy, invalid }: WidgetProps) {
  return (
    <NumberField
      id={id}
      describedBy={describedBy}
      invalid={invalid}
      value={asNumber(value)}
      placeholder={shownDefault(field.fallback)}
      minimum={field.minimum}
      maximum={field.maximum}
      unit={field.unit ?? undefined}
      onChange={(n) => onChange(n ?? undefined)}
    />
  );
}

export function SliderWidget(props: WidgetProps) {
  const { field, value, onChange } = props;
  const low = field.minimum ?? 0;
  const high = field.maximum ?? 1;
  const current = asNumber(value) ?? asNumber(field.fallback) ?? low;
  return (
    <span className={styles.slider}>
      <input
        type="range"
        aria-label={field.title}
        min={low}
        max={high}
        step={(high - low) / 100}
        value={current}
        onChange={(e) => onChange(Number(Number(e.target.value).toFixed(3)))}
      />
      <NumberWidget {...props} />
    </span>
  );
}

export function SwitchWidget({ id, field, value, onChange, describedBy }: WidgetProps) {
  return (
    <Switch id={id} describedBy={describedBy} on={(value ?? field.fallback) === true} onChange={onChange} />
  );
}

export function SelectWidget({ id, field, value, onChange, describedBy, invalid }: WidgetProps) {
  const current = asText(value ?? field.fallback);
  const options = field.options.map((o) => ({ value: o.value, label: o.label, title: o.help ?? undefined }));
  // A value that the schema does not list is shown unchanged, so that viewing a node never changes it.
  const known = options.some((o) => o.value === current);
  return (
    <Select
      wide
      id={id}
      describedBy={describedBy}
      invalid={invalid}
      value={current}
      options={known ? options : [{ value: current, label: current || "not set" }, ...options]}
      onChange={onChange}
    />
  );
}

export function SegmentedWidget({ field, value, onChange, describedBy }: WidgetProps) {
  const options = field.options.map((o) => ({ value: o.value, label: o.label, title: o.help ?? undefined }));
  // If the default is empty, the empty value can be chosen too.
  const mayBeLeft = asText(field.fallback) === "" && !field.required;
  // The empty choice is called `auto`, unless an option has that name.
  const left = options.some((o) => o.label === "auto") ? "default" : "auto";
  return (
    <Segmented
      full
      label={field.title}
      describedBy={describedBy}
      value={asText(value ?? field.fallback)}
      options={mayBeLeft ? [{ value: "", label: left, title: undefined }, ...options] : options}
      onChange={(chosen) => onChange(chosen === "" ? undefined : chosen)}
    />
  );
}

/** Shows a duration in words and stores it as ISO 8601. */
export function DurationWidget({ id, value, onChange, describedBy, invalid, field }: WidgetProps) {
  const fallback = asText(field.fallback);
  return (
    <DurationField
      id={id}
      describedBy={describedBy}
      invalid={invalid}
      value={asText(value)}
      placeholder={fallback === "" ? "none" : shownDuration(fallback)}
      onChange={onChange}
    />
  );
}

/** Edits short names in one line, separated by commas. */
export function NamesWidget({ id, value, onChange, describedBy, invalid, field }: WidgetProps) {
  const shown = (list: unknown) => (Array.isArray(list) ? list.map(String).join(", ") : "");
  const [draft, setDraft] = useState<string | null>(null);
  return (
    <span
      className={classes(
        fieldsStyles.field,
        "field",
        fieldsStyles.native,
        "native wide-control",
        fieldsStyles.wideControl,
        invalid && fieldsStyles.bad,
      )}
    >
      <input
        id={id}
        aria-describedby={describedBy}
        aria-invalid={invalid || undefined}
        spellCheck={false}
        value={draft ?? shown(value)}
        placeholder={shown(field.fallback)}
        onChange={(e) => {
          setDraft(e.target.value);
          const names = e.target.value.split(/[\s,;]+/).filter(Boolean);
          // An entry that is not a number stays as typed and is reported as a problem of the field.
          const values = field.integers
            ? names.map((name) => (/^-?\d+$/.test(name) ? Number(name) : name))
            : names;
          onChange(values.length > 0 ? values : undefined);
        }}
        onBlur={() => setDraft(null)}
      />
    </span>
  );
}
