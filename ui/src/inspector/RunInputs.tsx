// The inputs of a run: one field per Input node, filled with its default until the user types a value.

import { useId } from "react";
import { Button } from "../components/Button";
import buttonStyles from "../components/Button.module.css";
import { classes } from "../components/classes";
import formStyles from "../components/Form.module.css";
import { TextArea, TextField } from "../components/fields";
import { Select } from "../components/Select";
import { useDocument, useInside, useRunDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import { collectInputs, type InputField, inputFields } from "../runs/inputs/inputs";
import { keyInHand, useRunInputs, useTyped } from "../runs/inputs/typed-inputs";
import { testIds } from "../testids";
import styles from "./RunInputs.module.css";

function useInputFields(): InputField[] {
  const document = useRunDocument();
  const kinds = useKinds((s) => s.kinds);
  return inputFields(document, kinds);
}

/** Shows all inputs of the document. `onRun` adds a run button to the panel, for use in a popover. */
export function RunInputs({ onRun }: { onRun?: () => void }) {
  const fields = useInputFields();
  if (fields.length === 0) {
    return (
      <p className={formStyles.hint}>This workflow has no Input node, so a run needs nothing from you.</p>
    );
  }
  return (
    <form
      className={styles.inputs}
      aria-label="Run inputs"
      onSubmit={(e) => {
        e.preventDefault();
        onRun?.();
      }}
    >
      {fields.map((field) => (
        <InputEditor key={field.nodeId} field={field} />
      ))}
      {onRun && (
        <Button type="submit" variant="primary" icon="play" className={styles.run}>
          Run with {fields.length === 1 ? "this" : "these"}
        </Button>
      )}
    </form>
  );
}

/** Shows the field for the value of a single Input node. */
export function RunInputField({ nodeId }: { nodeId: string }) {
  const field = useInputFields().find((f) => f.nodeId === nodeId);
  // Inside a subflow, an input gets the value wired to the node outside.
  if (useInside())
    return <p className={formStyles.hint}>Receives the value wired to this input of the subflow.</p>;
  return field ? <InputEditor field={field} /> : null;
}

function InputEditor({ field }: { field: InputField }) {
  const id = useId();
  const key = useDocument(keyInHand);
  const typed = useTyped(key)[field.name];
  const error = collectInputs([field], typed === undefined ? {} : { [field.name]: typed }).errors[field.name];
  const set = (value: string | null) => useRunInputs.getState().set(key, field.name, value);
  const own = typed !== undefined;
  const common = {
    id,
    testId: testIds.inputField(field.name),
    describedBy: `${id}-help`,
    invalid: own && error !== undefined,
  };
  const value = typed ?? field.fallback ?? "";
  return (
    <div className={classes(formStyles.formField, formStyles.wide)}>
      <div className={formStyles.fieldLabel}>
        <label htmlFor={id}>{field.label}</label>
        <span className="grow" />
        {own && field.fallback !== null && (
          <button type="button" className={buttonStyles.linkButton} onClick={() => set(null)}>
            Use the default
          </button>
        )}
      </div>
      {field.dataType === "boolean" ? (
        <Select
          {...common}
          value={value === "true" ? "true" : "false"}
          options={[
            { value: "true", label: "true" },
            { value: "false", label: "false" },
          ]}
          onChange={set}
        />
      ) : field.dataType === "number" || field.dataType === "file" ? (
        <TextField {...common} wide mono value={value} placeholder={placeholderOf(field)} onChange={set} />
      ) : (
        <TextArea
          {...common}
          mono={field.dataType === "json"}
          rows={4}
          value={value}
          placeholder={placeholderOf(field)}
          onChange={set}
        />
      )}
      <p
        className={own && error ? formStyles.fieldError : classes(formStyles.hint, formStyles.fieldHelp)}
        id={`${id}-help`}
      >
        {own && error ? error : helpOf(field, own)}
      </p>
    </div>
  );
}

function placeholderOf(field: InputField): string {
  if (field.dataType === "file") return "/path/to/a/file";
  if (field.dataType === "json") return '{ "key": "value" }';
  return field.dataType === "number" ? "0" : "Type or paste your own text";
}

function helpOf(field: InputField, own: boolean): string {
  if (own) return "Your value, used for runs of this file. The file itself keeps its default.";
  if (field.description) return field.description;
  if (field.required && !field.fallback) return "A run needs a value here.";
  if (field.fallback === null) return "Has no default.";
  return field.fallback === "" ? "Optional" : "The default. Type to replace it.";
}
