// What answers prompts that name no provider; amber when it is not ready.
import { useEffect } from "react";
import { Button } from "../components/Button";
import { Icon } from "../components/Icon";
import { tip } from "../components/tip";
import { showSettings } from "../pages/settings/sections";
import { defaultProvider, useProviders } from "../runs/providers";

export function ProviderChip() {
  const provider = useProviders(defaultProvider);
  const model = useProviders((s) => s.settings?.model ?? null);
  useEffect(() => void useProviders.getState().load(), []);
  const name = !provider
    ? "Model"
    : provider.id === "builtin"
      ? `${provider.name} (no key)`
      : [provider.name, provider.state === "offline" ? "offline" : model].filter(Boolean).join(" · ");
  return (
    <Button
      icon="cpu"
      className={provider && !provider.ready ? "provider-chip amber" : "provider-chip"}
      {...tip(provider ? `${provider.name}: ${provider.status}` : "Choose what answers prompts")}
      onClick={() => showSettings("providers")}
    >
      <span>{name}</span>
      <Icon name="chevron-down" size={12} />
    </Button>
  );
}
