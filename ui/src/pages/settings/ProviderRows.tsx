// The providers, one row each: whether they work now, what their models can and cannot do, and their address.
import { useEffect, useState } from "react";
import { Button, IconButton } from "../../components/Button";
import { TextField } from "../../components/fields";
import { Icon } from "../../components/Icon";
import { api, errorMessage } from "../../ipc/client";
import type { ProviderInfo } from "../../ipc/generated/bindings";
import { useProviders } from "../../runs/providers";
import { useSession } from "../../session/session";
import { ProviderMark } from "../gallery/ProviderColumn";

export function ProviderRows() {
  const providers = useProviders((s) => s.providers);
  const ready = providers.filter((p) => p.ready).length;
  return (
    <>
      <h2 className="set-h">
        Providers
        <span>
          {ready} of {providers.length} ready
        </span>
      </h2>
      <div className="card ptable">
        {providers.map((p) => (
          <ProviderRow key={p.id} provider={p} />
        ))}
      </div>
    </>
  );
}

function ProviderRow({ provider }: { provider: ProviderInfo }) {
  const [open, setOpen] = useState(provider.id === "builtin");
  const [tested, setTested] = useState<{ ok: boolean; says: string } | null>(null);
  const [testing, setTesting] = useState(false);
  // What a test found holds for the address that it asked.
  // biome-ignore lint/correctness/useExhaustiveDependencies: forgotten when the address changes.
  useEffect(() => setTested(null), [provider.baseUrl]);
  const test = async () => {
    setTesting(true);
    try {
      // The click that asks for the test may be what left the address field, and saved it.
      await useProviders.getState().settled();
      setTested({ ok: true, says: await api().testProvider(provider.id) });
    } catch (error) {
      setTested({ ok: false, says: errorMessage(error) });
    } finally {
      setTesting(false);
    }
  };
  const state = tested ?? { ok: provider.ready, says: provider.status };
  return (
    <div className={`prow${open ? " open" : ""}`} data-testid={`provider-row-${provider.id}`}>
      <ProviderMark provider={provider} />
      <div>
        <b>{provider.name}</b>
        <small>{provider.note}</small>
      </div>
      <span className={`stt ${state.ok ? "c-ok" : provider.ready ? "c-err" : "t3"}`} role="status">
        <Icon name={state.ok ? "circle-check" : "circle-alert"} size={13} />
        <span className="stttext" title={state.says}>
          {state.says}
        </span>
      </span>
      <IconButton
        icon="chevron-down"
        size={15}
        label={open ? `Hide ${provider.name}` : `Show ${provider.name}`}
        aria-expanded={open}
        className={open ? "turned" : ""}
        onClick={() => setOpen(!open)}
      />
      {open && (
        <div className="pform">
          {provider.id === "openai" && <AddressField />}
          {provider.id !== "builtin" && (
            <>
              <span>API key</span>
              <span className="t1">{provider.hasKey ? "set, not shown" : "none"}</span>
            </>
          )}
          <Models provider={provider} />
          <span />
          <div className="row">
            <Button small disabled={testing} onClick={() => void test()}>
              {testing ? "Testing…" : "Test"}
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}

function Models({ provider }: { provider: ProviderInfo }) {
  if (provider.models.length === 0) return null;
  return (
    <>
      <span className="top">Models</span>
      <ul className="models">
        {provider.models.map((m) => (
          <li key={m.id}>
            <b>{m.name}</b> {m.does}
            {m.cannot !== "" && <small>{cannotText(m.cannot)}</small>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** A whole sentence stands as it is; a list of verbs gets its subject. */
function cannotText(text: string): string {
  if (/^(it|they) can/i.test(text)) return text;
  return `It cannot ${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** The address is saved when the field is left, so that half an address is never used. */
function AddressField() {
  const saved = useProviders((s) => s.settings?.openaiBaseUrl ?? "");
  const [draft, setDraft] = useState<string | null>(null);
  const save = async () => {
    if (draft === null || draft.trim() === saved) {
      setDraft(null);
      return;
    }
    try {
      await useProviders.getState().save({ openaiBaseUrl: draft.trim() === "" ? null : draft.trim() });
      setDraft(null);
    } catch (error) {
      useSession
        .getState()
        .toast({ tone: "error", title: "The address was not saved", detail: errorMessage(error) });
    }
  };
  return (
    <>
      <label htmlFor="openai-address">Address</label>
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
          id="openai-address"
          testId="openai-base-url"
          type="url"
          value={draft ?? saved}
          placeholder="http://localhost:1234/v1"
          onChange={setDraft}
        />
      </form>
    </>
  );
}
