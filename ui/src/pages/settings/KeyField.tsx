// The key of a provider: it goes into the system's keychain and never comes back.
import { useState } from "react";
import { Button } from "../../components/Button";
import { TextField } from "../../components/fields";
import { Icon } from "../../components/Icon";
import { errorMessage } from "../../ipc/client";
import type { ProviderInfo } from "../../ipc/generated/bindings";
import { useProviders } from "../../runs/providers";

/** Where the key is, in words. */
function place(provider: ProviderInfo): string {
  switch (provider.keySource) {
    case "keychain":
      return "In the system keychain.";
    case "environment":
      return `From ${provider.keyVariable}, which goes before a key of the keychain.`;
    default:
      return `None. It goes into the system keychain, or into ${provider.keyVariable}.`;
  }
}

export function KeyField({ provider }: { provider: ProviderInfo }) {
  const [draft, setDraft] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const keep = async (key: string | null) => {
    setBusy(true);
    try {
      await useProviders.getState().setKey(provider.id, key);
      setFailure(null);
      // Kept nowhere in the page any longer than it takes.
      setDraft("");
    } catch (error) {
      setFailure(errorMessage(error));
    } finally {
      setBusy(false);
    }
  };
  const id = `${provider.id}-key`;
  return (
    <>
      <label htmlFor={id}>API key</label>
      <form
        className="row"
        onSubmit={(e) => {
          e.preventDefault();
          if (draft.trim() !== "") void keep(draft);
        }}
      >
        <TextField
          mono
          wide
          id={id}
          testId={id}
          type="password"
          value={draft}
          placeholder={provider.hasKey ? "••••••••••••" : "paste it here"}
          onChange={setDraft}
        />
        <Button small type="submit" disabled={busy || draft.trim() === ""}>
          {provider.hasKey ? "Replace" : "Set"}
        </Button>
        {provider.keySource === "keychain" && (
          <Button small icon="trash-2" disabled={busy} onClick={() => void keep(null)}>
            Remove
          </Button>
        )}
      </form>
      <span className="keynote">
        <Icon name="lock" size={12} />
        {place(provider)}
      </span>
      {failure !== null && (
        <span className="keynote c-err" role="alert">
          {failure}
        </span>
      )}
    </>
  );
}
