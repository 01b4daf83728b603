// The default model, used for prompts whose nodes name no provider: a menu of all models. The chip is amber
// if the chosen model is not ready.

import { useEffect } from "react";
import buttonStyles from "../components/Button.module.css";
import { classes } from "../components/classes";
import { Icon } from "../components/Icon";
import { saveSettings } from "../pages/settings/save";
import { showSettings } from "../pages/settings/sections";
import { findModels, type ModelChoice, modelChoices } from "../runs/inputs/model-choices";
import { usePrices } from "../runs/inputs/prices";
import { defaultProvider, useProviders } from "../runs/inputs/providers";
import { Menu, type MenuItem } from "./Menu";
import styles from "./ProviderChip.module.css";

function choose({ provider, model, isMissing }: ModelChoice): void {
  // The missing key or address can be entered in the settings.
  if (isMissing) showSettings("providers");
  else void saveSettings({ provider, model });
}

/** Searches again for servers on this computer, and loads the models of those that answer. */
async function refresh(): Promise<void> {
  await Promise.all([useProviders.getState().load(), usePrices.getState().load()]);
  await findModels(useProviders.getState().providers);
}

export function ProviderChip() {
  const provider = useProviders(defaultProvider);
  const providers = useProviders((s) => s.providers);
  const chosen = useProviders((s) => s.settings?.model ?? null);
  // If no model is chosen, the first one that the server lists answers.
  const first = provider?.ready && provider.id !== "builtin" ? (provider.models[0]?.id ?? null) : null;
  const model = chosen ?? first;
  const prices = usePrices((s) => s.list);
  useEffect(() => void useProviders.getState().load(), []);
  const name = !provider
    ? "Model"
    : provider.id === "builtin"
      ? `${provider.name} (no key)`
      : [provider.name, provider.state === "offline" ? "offline" : model].filter(Boolean).join(" · ");
  const items: MenuItem[] = modelChoices(providers, prices ?? []).map((choice) => ({
    ...choice,
    on:
      choice.provider === provider?.id &&
      (choice.model ?? null) === (provider.id === "builtin" ? null : model),
    run: () => choose(choice),
  }));
  items.push({
    id: "settings",
    label: "Providers and keys…",
    icon: "settings",
    group: "",
    run: () => showSettings("providers"),
  });
  return (
    <Menu
      label={`Model: ${name}`}
      boxClassName={styles.place}
      className={classes(buttonStyles.btn, styles.providerChip, provider && !provider.ready && styles.amber)}
      tooltip={
        provider
          ? `Used for prompts that do not name a model. ${provider.name}: ${provider.status}${chosen === null && first !== null ? `. No model is chosen, so the first one in the list is used: ${first}` : ""}`
          : undefined
      }
      items={items}
      onOpen={() => void refresh()}
    >
      <Icon name="cpu" size={14} />
      <span>{name}</span>
      <Icon name="chevron-down" size={12} />
    </Menu>
  );
}
