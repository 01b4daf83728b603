// Selects a model of a provider: one from its list, with the price, or another by its name.

import { useEffect, useState } from "react";
import { classes } from "../../../components/classes";
import type { Common } from "../../../components/control";
import formStyles from "../../../components/Form.module.css";
import { TextField } from "../../../components/fields";
import { type Choice, Select } from "../../../components/Select";
import type { ProviderInfo } from "../../../ipc/generated/bindings";
import { findModels, modelDetail, modelTooltip } from "../../../runs/inputs/model-choices";
import { usePrices } from "../../../runs/inputs/prices";
import styles from "./Picker.module.css";

/** The list entry for a name that is not listed, since a server may offer more models than it lists. */
const ANOTHER = " another";

interface ModelSelectProps extends Common {
  provider: ProviderInfo | null;
  /** The model's name; empty for the default. */
  value: string;
  onChange(model: string): void;
  /** The model used if the value is empty. */
  fallback: string;
  placeholder: string;
}

export function ModelSelect(props: ModelSelectProps) {
  const { provider, value, onChange, fallback, placeholder, ...common } = props;
  const prices = usePrices((s) => s.list);
  /** The id of the provider for which the user is typing a model's name; null while no name is typed. */
  const [typedFor, setTypedFor] = useState<string | null>(null);
  useEffect(() => {
    if (prices === null) void usePrices.getState().load();
  }, [prices]);
  useEffect(() => {
    if (provider) void findModels([provider]);
  }, [provider]);
  const models = provider?.models ?? [];
  const id = provider?.id ?? "";
  const hasList = models.length > 0;
  const isTyping = typedFor === id;
  const options: Choice[] = models.map((model) => ({
    value: model.id,
    label: model.name,
    title: modelTooltip(model, id, prices ?? []),
  }));
  const isListed = value === "" || models.some(({ id }) => id === value);
  // The list of built-in models is complete.
  const isOpen = provider?.id !== "builtin";
  const another = isOpen && (isTyping || !isListed);
  if (!isOpen && !isListed) options.push({ value, label: value });
  const chosen = models.find(({ id }) => id === value);
  const isTyped = another || !hasList;
  // If the list arrives while the user types a name, the field and its focus stay.
  return (
    <span className={styles.picker}>
      {hasList && (
        <Select
          wide
          {...common}
          value={another ? ANOTHER : value}
          lead={[{ value: "", label: fallback }]}
          options={isOpen ? [...options, { value: ANOTHER, label: "another, by name" }] : options}
          onChange={(next) => {
            setTypedFor(next === ANOTHER ? id : null);
            if (next !== ANOTHER) onChange(next);
          }}
        />
      )}
      {isTyped && (
        <TextField
          wide
          mono
          {...common}
          {...(hasList ? { id: undefined, testId: undefined, label: "Name of the model" } : {})}
          value={value}
          placeholder={placeholder}
          onFocus={() => setTypedFor(id)}
          onChange={onChange}
        />
      )}
      {chosen && !isTyped && (
        <small className={classes(formStyles.hint, "hint")}>{modelDetail(chosen, id, prices ?? [])}</small>
      )}
    </span>
  );
}
