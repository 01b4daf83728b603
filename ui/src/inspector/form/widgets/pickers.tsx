// Pickers for what the Rust side knows: providers, their models, tools.
import { useEffect } from "react";
import { Select, TextField } from "../../../components/fields";
import { defaultProvider, useProviders } from "../../../runs/providers";
import { asText, type WidgetProps } from "../widget-props";

function useLoadedProviders() {
  const state = useProviders();
  const { load, settings } = state;
  useEffect(() => {
    if (settings === null) void load();
  }, [load, settings]);
  return state;
}

export function ProviderWidget({ id, value, onChange, describedBy, invalid }: WidgetProps) {
  const state = useLoadedProviders();
  const current = asText(value) || "auto";
  const used = defaultProvider(state);
  const options = [
    { value: "auto", label: used ? `default (${used.name})` : "default" },
    ...state.providers.map((p) => ({ value: p.id, label: p.ready ? p.name : `${p.name}, ${p.status}` })),
  ];
  if (!options.some((o) => o.value === current))
    options.push({ value: current, label: `${current}, not set up` });
  return (
    <Select
      wide
      id={id}
      describedBy={describedBy}
      invalid={invalid}
      value={current}
      options={options}
      onChange={(next) => onChange(next === "auto" ? undefined : next)}
    />
  );
}

export function ModelWidget({ id, field, value, onChange, data, describedBy, invalid }: WidgetProps) {
  const state = useLoadedProviders();
  const current = asText(value);
  const wanted = asText(data.provider);
  // The field for the built-in model is about the built-in provider, whichever one runs the other nodes.
  const provider =
    field.name === "builtin"
      ? state.providers.find((p) => p.id === "builtin")
      : (state.providers.find((p) => p.id === wanted) ?? defaultProvider(state));
  const models = provider?.models ?? [];
  if (models.length === 0) {
    return (
      <TextField
        wide
        mono
        id={id}
        describedBy={describedBy}
        invalid={invalid}
        value={current}
        placeholder={state.settings?.model ?? "default model"}
        onChange={(text) => onChange(text === "" ? undefined : text)}
      />
    );
  }
  const options = [
    { value: "", label: "default model" },
    ...models.map((m) => ({
      value: m.id,
      label: m.name,
      title: m.cannot ? `${m.does} ${m.cannot}` : m.does,
    })),
  ];
  if (!options.some((o) => o.value === current)) options.push({ value: current, label: current, title: "" });
  const model = models.find((m) => m.id === current);
  return (
    <span className="picker">
      <Select
        wide
        id={id}
        describedBy={describedBy}
        invalid={invalid}
        value={current}
        options={options}
        onChange={(next) => onChange(next === "" ? undefined : next)}
      />
      {model && <small className="hint">{model.does}</small>}
    </span>
  );
}

export function ToolWidget({ id, field, value, onChange, describedBy, invalid }: WidgetProps) {
  const current = asText(value ?? field.fallback);
  if (field.options.length === 0) {
    return (
      <TextField
        wide
        mono
        id={id}
        describedBy={describedBy}
        invalid={invalid}
        value={current}
        placeholder="search.documents"
        onChange={(text) => onChange(text === "" ? undefined : text)}
      />
    );
  }
  const options = field.options.map((o) => ({ value: o.value, label: o.value, title: o.help ?? undefined }));
  if (!options.some((o) => o.value === current))
    options.push({ value: current, label: current, title: undefined });
  return (
    <Select
      wide
      id={id}
      describedBy={describedBy}
      invalid={invalid}
      value={current}
      options={options}
      onChange={onChange}
    />
  );
}
