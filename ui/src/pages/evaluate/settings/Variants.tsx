// The variants: a name, changed fields of nodes, or another flow.

import { useId } from "react";
import { Button, IconButton } from "../../../components/Button";
import { classes } from "../../../components/classes";
import fieldsStyles from "../../../components/Fields.module.css";
import formStyles from "../../../components/Form.module.css";
import { TextField } from "../../../components/fields";
import type { Evaluation, Variant } from "../../../ipc/evaluation";
import type { Json } from "../../../ipc/generated/bindings";
import { useEvaluation } from "../evaluation-store";
import { OptionalText, ProblemsAt, Row, ValueText, without } from "./fields";
import styles from "./SettingsPanel.module.css";

export function Variants({ evaluation }: { evaluation: Evaluation }) {
  const { change } = useEvaluation.getState();
  const flow = useEvaluation((s) => s.flow);
  const list = useId();
  const variants = evaluation.variants ?? [];
  const set = (next: Variant[]) => change({ variants: next.length > 0 ? next : undefined });
  const fields = (flow?.nodes ?? []).flatMap((node) =>
    Object.keys(node.data)
      .filter((field) => field !== "label")
      .map((field) => `${node.id}.${field}`),
  );
  return (
    <div className={styles.section}>
      <datalist id={list}>
        {fields.map((field) => (
          <option key={field} value={field} />
        ))}
      </datalist>
      {variants.length === 0 && (
        <p className={formStyles.hint}>
          Only the unchanged flow is run. Add a second variant to compare it with.
        </p>
      )}
      {variants.map((variant, i) => (
        <VariantFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a variant is edited in its place.
          key={i}
          variant={variant}
          place={`variants[${i}]`}
          list={list}
          onChange={(next) => set(variants.map((one, j) => (j === i ? next : one)))}
          onRemove={() => set(variants.filter((_, j) => j !== i))}
        />
      ))}
      <ProblemsAt place="variants" only />
      <Button
        small
        icon="plus"
        onClick={() =>
          set([
            ...(variants.length === 0 ? [{ name: "as it is" }] : variants),
            { name: `variant ${Math.max(2, variants.length + 1)}` },
          ])
        }
      >
        Add a variant
      </Button>
    </div>
  );
}

interface VariantFieldsProps {
  variant: Variant;
  place: string;
  /** The id of the `datalist` element that suggests fields of nodes. */
  list: string;
  onChange(variant: Variant): void;
  onRemove(): void;
}

function VariantFields({ variant, place, list, onChange, onRemove }: VariantFieldsProps) {
  const entries = Object.entries(variant.set ?? {});
  const setEntries = (next: [string, Json][]) =>
    onChange(without({ ...variant, set: next.length > 0 ? Object.fromEntries(next) : undefined }));
  return (
    <fieldset className={styles.item}>
      <legend className="sr-only">{variant.name}</legend>
      <div className={styles.itemHead}>
        <TextField
          label="Variant name"
          wide
          value={variant.name}
          onChange={(name) => onChange({ ...variant, name })}
        />
        <IconButton icon="trash-2" size={13} label={`Remove ${variant.name}`} onClick={onRemove} />
      </div>
      {entries.map(([key, value], i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry is edited in its place.
        <div className={styles.set} key={i}>
          <span className={classes(fieldsStyles.field, fieldsStyles.native)}>
            <input
              className="mono"
              aria-label="Field to set, as node.field"
              list={list}
              placeholder="node.field"
              spellCheck={false}
              value={key}
              onChange={(event) => {
                const next = event.target.value;
                // Two entries with the same field would be merged, and one of the typed values would be lost.
                if (entries.some(([other], j) => j !== i && other === next)) return;
                setEntries(entries.map((one, j) => (j === i ? [next, value] : one)));
              }}
            />
          </span>
          <IconButton
            icon="x"
            size={12}
            label={`Do not set ${key || "the field"}`}
            onClick={() => setEntries(entries.filter((_, j) => j !== i))}
          />
          <ValueText
            area
            rows={1}
            placeholder="value"
            label={`Value of ${key || "the field"}`}
            value={value}
            onChange={(next) => setEntries(entries.map((one, j) => (j === i ? [key, next] : one)))}
          />
        </div>
      ))}
      <div className="row">
        <Button
          small
          variant="ghost"
          icon="plus"
          disabled={entries.some(([key]) => key === "")}
          onClick={() => setEntries([...entries, ["", ""]])}
        >
          Set a field
        </Button>
        {variant.flow === undefined && (
          <Button small variant="ghost" onClick={() => onChange({ ...variant, flow: "" })}>
            Use another flow
          </Button>
        )}
      </div>
      {variant.flow !== undefined && (
        <Row label="Flow">
          <OptionalText
            label="Variant flow"
            placeholder="other.flow.json"
            value={variant.flow}
            onChange={(flow) => onChange(without({ ...variant, flow }))}
          />
        </Row>
      )}
      <ProblemsAt place={place} />
    </fieldset>
  );
}
