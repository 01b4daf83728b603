// Pickers for the lists that the engine provides: providers, their models, tools, agents.
import { useEffect, useState } from "react";
import { classes } from "../../../components/classes";
import type { Common } from "../../../components/control";
import formStyles from "../../../components/Form.module.css";
import { TextField } from "../../../components/fields";
import { Message } from "../../../components/Message";
import { Select } from "../../../components/Select";
import { useTools } from "../../../document/tools";
import { agentChoices, installWords, isInstalled, useAgents } from "../../../runs/inputs/agents";
import { defaultProvider, useProviders } from "../../../runs/inputs/providers";
import { asText, type WidgetProps } from "../widget-props";
import { ModelSelect } from "./ModelSelect";
import styles from "./Picker.module.css";

export function useLoadedProviders() {
  const state = useProviders();
  const { load, settings } = state;
  useEffect(() => {
    if (settings === null) void load();
  }, [load, settings]);
  return state;
}

export function ProviderWidget({ id, value, onChange, describedBy, invalid }: WidgetProps) {
  return (
    <ProviderSelect
      id={id}
      describedBy={describedBy}
      invalid={invalid}
      value={asText(value) || "auto"}
      onChange={(next) => onChange(next === "auto" ? undefined : next)}
    />
  );
}

/** Selects a provider by its id; `auto` is the default one. */
export function ProviderSelect({
  value,
  onChange,
  ...common
}: Common & { value: string; onChange(id: string): void }) {
  const state = useLoadedProviders();
  const used = defaultProvider(state);
  const options = [
    { value: "auto", label: used ? `default (${used.name})` : "default" },
    ...state.providers.map((p) => ({ value: p.id, label: p.ready ? p.name : `${p.name}, ${p.status}` })),
  ];
  if (!options.some((o) => o.value === value)) options.push({ value, label: `${value}, not set up` });
  return <Select wide {...common} value={value} options={options} onChange={onChange} />;
}

export function ModelWidget({ id, field, value, onChange, data, describedBy, invalid }: WidgetProps) {
  const state = useLoadedProviders();
  const current = asText(value);
  const wanted = asText(data.provider);
  // The field of the built-in model uses the built-in provider, even if the other nodes use another one.
  const provider =
    field.name === "builtin"
      ? state.providers.find((p) => p.id === "builtin")
      : (state.providers.find((p) => p.id === wanted) ?? defaultProvider(state));
  return (
    <ModelSelect
      id={id}
      describedBy={describedBy}
      invalid={invalid}
      provider={provider ?? null}
      value={current}
      fallback="default model"
      placeholder={state.settings?.model ?? "default model"}
      onChange={(next) => onChange(next === "" ? undefined : next)}
    />
  );
}

/**
 * The list entry for a name that is not listed, such as a tool of a server that was never started from this
 * window.
 */
const ANOTHER = " another";

export function ToolWidget({ id, field, value, onChange, describedBy, invalid }: WidgetProps) {
  const { tools, load } = useTools();
  useEffect(load, [load]);
  const [typing, setTyping] = useState(false);
  const current = asText(value ?? field.fallback);
  const options = (tools ?? [])
    // An entry such as `mcp:<server>/<tool>` stands for all tools of a kind and cannot be chosen.
    .filter((tool) => !tool.name.includes("<"))
    .map((tool) => ({
      value: tool.name,
      label: tool.unavailable ? `${tool.name}, not set up` : tool.name,
      title: tool.unavailable ?? tool.summary,
    }));
  const listed = options.some((option) => option.value === current);
  const another = typing || (!listed && tools !== null);
  return (
    <span className={styles.picker}>
      <Select
        wide
        id={id}
        describedBy={describedBy}
        invalid={invalid && !another}
        value={another || !listed ? ANOTHER : current}
        options={[...options, { value: ANOTHER, label: "another, by name", title: "mcp:<server>/<tool>" }]}
        onChange={(next) => {
          setTyping(next === ANOTHER);
          if (next !== ANOTHER) onChange(next);
        }}
      />
      {another && (
        <TextField
          wide
          mono
          label="Tool name"
          invalid={invalid}
          value={current}
          placeholder="mcp:server/tool"
          onChange={(text) => onChange(text === "" ? undefined : text)}
        />
      )}
    </span>
  );
}

export function AgentWidget({ id, field, value, onChange, describedBy, invalid }: WidgetProps) {
  const { agents, load } = useAgents();
  useEffect(() => void load(), [load]);
  const current = asText(value ?? field.fallback);
  const chosen = agents?.find((agent) => agent.name === current);
  const options = agentChoices(agents ?? []);
  if (chosen === undefined)
    options.push({ value: current, label: agents === null ? current : `${current}, not in Settings` });
  return (
    <span className={styles.picker}>
      <Select
        wide
        id={id}
        describedBy={describedBy}
        invalid={invalid}
        value={current}
        options={options}
        onChange={onChange}
      />
      {chosen !== undefined && !isInstalled(chosen) && (
        <small className={classes(formStyles.hint, "hint")}>
          <Message text={installWords(chosen)} />
        </small>
      )}
    </span>
  );
}
