// The address of a provider.
import type { ProviderInfo, Settings } from "../../ipc/generated/bindings";
import { useProviders } from "../../runs/inputs/providers";
import { SavedText } from "./SavedText";

/** Example addresses, by provider id. */
const EXAMPLES: Readonly<Record<string, string>> = {
  azure: "https://NAME.openai.azure.com",
  compatible: "http://localhost:8000/v1",
};

function savedAddress(settings: Settings | null, id: string): string {
  if (id === "openai") return settings?.openaiBaseUrl ?? "";
  return settings?.addresses[id] ?? "";
}

function change(settings: Settings, id: string, address: string): Partial<Settings> {
  if (id === "openai") return { openaiBaseUrl: address === "" ? null : address };
  const { [id]: _, ...others } = settings.addresses;
  return { addresses: address === "" ? others : { ...others, [id]: address } };
}

export function AddressField({ provider }: { provider: ProviderInfo }) {
  const saved = useProviders((s) => savedAddress(s.settings, provider.id));
  const id = `${provider.id}-base-url`;
  return (
    <>
      <label htmlFor={id}>Address</label>
      <SavedText
        id={id}
        saved={saved}
        placeholder={provider.baseUrl ?? EXAMPLES[provider.id] ?? ""}
        refused="The address was not saved"
        save={async (address) => {
          const { settings, save } = useProviders.getState();
          if (settings !== null) await save(change(settings, provider.id, address));
        }}
      />
    </>
  );
}
