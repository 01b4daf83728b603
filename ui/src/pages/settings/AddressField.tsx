// Where a provider is called. It is saved when the field is left, so that half an address is never used.
import { useState } from "react";
import { TextField } from "../../components/fields";
import { errorMessage } from "../../ipc/client";
import type { ProviderInfo, Settings } from "../../ipc/generated/bindings";
import { useProviders } from "../../runs/providers";
import { useSession } from "../../session/session";

/** What addresses of these providers look like. */
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
  const [draft, setDraft] = useState<string | null>(null);
  const save = async () => {
    const { settings, save } = useProviders.getState();
    const address = draft?.trim() ?? saved;
    if (settings === null || address === saved) {
      setDraft(null);
      return;
    }
    try {
      await save(change(settings, provider.id, address));
      setDraft(null);
    } catch (error) {
      useSession
        .getState()
        .toast({ tone: "error", title: "The address was not saved", detail: errorMessage(error) });
    }
  };
  const id = `${provider.id}-address`;
  return (
    <>
      <label htmlFor={id}>Address</label>
      <form
        className="row"
        onSubmit={(e) => {
          e.preventDefault();
          void save();
        }}
        onBlur={() => void save()}
      >
        <TextField
          mono
          wide
          id={id}
          testId={`${provider.id}-base-url`}
          type="url"
          value={draft ?? saved}
          placeholder={provider.baseUrl ?? EXAMPLES[provider.id] ?? ""}
          onChange={setDraft}
        />
      </form>
    </>
  );
}
