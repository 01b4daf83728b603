// The default provider and model, for prompts of nodes that do not set their own.

import cardStyles from "../../components/Card.module.css";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Select } from "../../components/Select";
import { ModelSelect } from "../../inspector/form/widgets/ModelSelect";
import type { Settings } from "../../ipc/generated/bindings";
import { defaultProvider, useProviders } from "../../runs/inputs/providers";
import styles from "../SettingsPage.module.css";
import { saveSettings } from "./save";

export function DefaultModel({ settings }: { settings: Settings }) {
  const state = useProviders();
  const provider = defaultProvider(state);
  return (
    <>
      <h2 className={styles.settingsHeading}>Default model</h2>
      <div className={classes(cardStyles.card, styles.card, styles.padded)}>
        <div className={formStyles.formRow}>
          <label htmlFor="default-provider">Provider</label>
          <Select
            wide
            id="default-provider"
            value={settings.provider ?? "auto"}
            options={[
              { value: "auto", label: "The first one that is set up" },
              ...state.providers.map((p) => ({
                value: p.id,
                label: p.ready ? p.name : `${p.name}, ${p.status}`,
              })),
            ]}
            onChange={(id) => void saveSettings({ provider: id, model: null })}
          />
        </div>
        <div className={formStyles.formRow}>
          <label htmlFor="default-model">Model</label>
          <ModelSelect
            id="default-model"
            provider={provider}
            value={settings.model ?? ""}
            fallback="as set in the node"
            placeholder="the model's name on the server"
            onChange={(model) => void saveSettings({ model: model === "" ? null : model })}
          />
        </div>
        <p className={formStyles.hint}>Used by nodes that do not name a provider or model.</p>
      </div>
    </>
  );
}
