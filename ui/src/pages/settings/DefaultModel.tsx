// What answers prompts of nodes that name no provider or model of their own.
import { TextField } from "../../components/fields";
import { Select } from "../../components/Select";
import type { Settings } from "../../ipc/generated/bindings";
import { defaultProvider, useProviders } from "../../runs/providers";
import { save } from "./save";

export function DefaultModel({ settings }: { settings: Settings }) {
  const state = useProviders();
  const provider = defaultProvider(state);
  const models = provider?.models ?? [];
  return (
    <>
      <h2 className="settings-heading">Default model</h2>
      <div className="card card-padding">
        <div className="form-row">
          <label htmlFor="default-provider">Provider</label>
          <Select
            wide
            id="default-provider"
            value={settings.provider ?? "auto"}
            options={[
              { value: "auto", label: "The first that is set up" },
              ...state.providers.map((p) => ({
                value: p.id,
                label: p.ready ? p.name : `${p.name}, ${p.status}`,
              })),
            ]}
            onChange={(id) => void save({ provider: id, model: null })}
          />
        </div>
        <div className="form-row">
          <label htmlFor="default-model">Model</label>
          {models.length > 0 ? (
            <Select
              wide
              id="default-model"
              value={settings.model ?? ""}
              options={[
                { value: "", label: "as the node says" },
                ...models.map((m) => ({ value: m.id, label: m.name })),
              ]}
              onChange={(model) => void save({ model: model === "" ? null : model })}
            />
          ) : (
            <TextField
              wide
              mono
              id="default-model"
              value={settings.model ?? ""}
              placeholder="the server's name for it"
              onChange={(model) => void save({ model: model === "" ? null : model })}
            />
          )}
        </div>
        <p className="hint">Used where a node names no provider or model of its own.</p>
      </div>
    </>
  );
}
