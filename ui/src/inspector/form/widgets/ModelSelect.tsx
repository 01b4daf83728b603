// A model of a provider: one that it lists, with its price, or another by its name.
import { useEffect, useState } from "react";
import type { Common } from "../../../components/control";
import { TextField } from "../../../components/fields";
import { type Choice, Select } from "../../../components/Select";
import type { ProviderInfo } from "../../../ipc/generated/bindings";
import { findModels, modelDetail } from "../../../runs/model-choices";
import { usePrices } from "../../../runs/prices";

/** Stands in the list for a name that is not in it: a server may offer more than it lists. */
const ANOTHER = " another";

interface ModelSelectProps extends Common {
  provider: ProviderInfo | null;
  /** The model's name; empty: the default. */
  value: string;
  onChange(model: string): void;
  /** What an empty value means. */
  fallback: string;
  placeholder: string;
}

export function ModelSelect(props: ModelSelectProps) {
  const { provider, value, onChange, fallback, placeholder, ...common } = props;
  const prices = usePrices((s) => s.list);
  const [typing, setTyping] = useState(false);
  useEffect(() => {
    if (prices === null) void usePrices.getState().load();
  }, [prices]);
  useEffect(() => {
    if (provider) void findModels([provider]);
  }, [provider]);
  const models = provider?.models ?? [];
  const typed = (label?: string) => (
    <TextField
      wide
      mono
      {...common}
      {...(label ? { id: undefined, testId: undefined, label } : {})}
      value={value}
      placeholder={placeholder}
      onChange={onChange}
    />
  );
  if (models.length === 0) return typed();
  const options: Choice[] = models.map((model) => ({
    value: model.id,
    label: model.name,
    title: [modelDetail(model, provider?.id ?? "", prices ?? []), model.cannot].filter(Boolean).join(" "),
  }));
  const isListed = value === "" || models.some(({ id }) => id === value);
  // The built-in models are those that there are.
  const isOpen = provider?.id !== "builtin";
  const another = isOpen && (typing || !isListed);
  if (!isOpen && !isListed) options.push({ value, label: value });
  const chosen = models.find(({ id }) => id === value);
  return (
    <span className="picker">
      <Select
        wide
        {...common}
        value={another ? ANOTHER : value}
        lead={[{ value: "", label: fallback }]}
        options={isOpen ? [...options, { value: ANOTHER, label: "another, by its name" }] : options}
        onChange={(next) => {
          setTyping(next === ANOTHER);
          if (next !== ANOTHER) onChange(next);
        }}
      />
      {another && typed("Name of the model")}
      {chosen && !another && (
        <small className="hint">{modelDetail(chosen, provider?.id ?? "", prices ?? [])}</small>
      )}
    </span>
  );
}
