// The providers, one row each: its status, its key, its address, and the capabilities of its models.

import { useEffect, useState } from "react";
import { Button, IconButton } from "../../components/Button";
import cardStyles from "../../components/Card.module.css";
import chipStyles from "../../components/Chip.module.css";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import { Message } from "../../components/Message";
import { tip } from "../../components/tip";
import { api, errorMessage } from "../../ipc/client";
import type { ProviderInfo } from "../../ipc/generated/bindings";
import { defaultProvider, useProviders } from "../../runs/inputs/providers";
import { ProviderMark } from "../gallery/ProviderColumn";
import styles from "../SettingsPage.module.css";
import { AddressField } from "./AddressField";
import { KeychainNote } from "./KeychainNote";
import { KeyField } from "./KeyField";
import rowStyles from "./SettingsRows.module.css";

export function ProviderRows() {
  const providers = useProviders((s) => s.providers);
  const used = useProviders((s) => defaultProvider(s)?.id);
  const ready = providers.filter((p) => p.ready).length;
  const waiting = providers.filter((p) => p.state === "needs_key" && p.baseUrl !== null).length;
  return (
    <>
      <h2 className={styles.settingsHeading}>
        Providers
        <span>
          {ready} of {providers.length} ready
          {waiting > 0 && `, ${waiting} ${waiting === 1 ? "needs" : "need"} a key`}
        </span>
      </h2>
      <KeychainNote />
      <div className={classes(cardStyles.card, styles.card, rowStyles.table)}>
        {providers.map((p) => (
          <ProviderRow key={p.id} provider={p} isUsed={p.id === used} />
        ))}
      </div>
    </>
  );
}

type Tested = { ok: boolean; says: string };

/**
 * Returns the result of the last test and a function that tests. The result is dropped when the key or
 * address changes.
 */
function useTest(provider: ProviderInfo) {
  const [tested, setTested] = useState<Tested | null>(null);
  const [testing, setTesting] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the result is dropped when the tested settings change.
  useEffect(() => setTested(null), [provider.baseUrl, provider.keySource, provider.state]);
  const test = async () => {
    setTesting(true);
    try {
      // The click that starts the test may also have left the address field, which is then still being saved.
      await useProviders.getState().settled();
      const { says, tookMs } = await api().testProvider(provider.id);
      const took = provider.id === "builtin" ? "" : ` (${tookMs} ms)`;
      // The test made the server list its models, so they are loaded again.
      await useProviders.getState().load();
      setTested({ ok: true, says: `${says}${took}` });
    } catch (error) {
      setTested({ ok: false, says: errorMessage(error) });
    } finally {
      setTesting(false);
    }
  };
  return { tested, testing, test };
}

/**
 * Returns the CSS class of the colour of a provider: the colour of the test result if there is one; otherwise
 * grey if the provider is not ready.
 */
function tone(provider: ProviderInfo, tested: Tested | null): string {
  if (tested !== null) return tested.ok ? "text-ok" : "text-error";
  return provider.ready ? "text-ok" : "text-tertiary";
}

function ProviderRow({ provider, isUsed }: { provider: ProviderInfo; isUsed: boolean }) {
  // The provider in use is open, unless it is built-in and needs no set-up.
  const [open, setOpen] = useState(isUsed && provider.id !== "builtin");
  const { tested, testing, test } = useTest(provider);
  // A closed row shows what is missing. An open row also shows how to provide it.
  const says = tested?.says ?? (open ? provider.status : provider.status.replace(/ \(.*\)$/, ""));
  return (
    <div
      className={classes(rowStyles.settingsRow, open && rowStyles.open)}
      data-testid={`provider-row-${provider.id}`}
    >
      <ProviderMark provider={provider} />
      {/* A pointer can open the row with a click on the whole name. The keyboard uses the button at the
          end. */}
      <button type="button" className={rowStyles.rowName} tabIndex={-1} onClick={() => setOpen(!open)}>
        <b>
          {provider.name}
          {isUsed && <span className={chipStyles.chip}>in use</span>}
        </b>
        <small>
          <Message text={subtitle(provider)} />
        </small>
      </button>
      <span className={classes(rowStyles.rowState, tone(provider, tested))} role="status">
        <Icon name={(tested?.ok ?? provider.ready) ? "circle-check" : "circle-alert"} size={13} />
        <span className={rowStyles.rowStateText} {...tip(says)}>
          {says}
        </span>
      </span>
      <IconButton
        icon="chevron-down"
        size={15}
        label={open ? `Hide ${provider.name}` : `Show ${provider.name}`}
        aria-expanded={open}
        className={open ? rowStyles.turned : undefined}
        onClick={() => setOpen(!open)}
      />
      {open && (
        <div className={rowStyles.settingsForm}>
          {provider.remedy !== "" && (
            <p className={rowStyles.remedy}>
              <Message text={provider.remedy} />
            </p>
          )}
          {provider.keyVariable !== null && (
            <KeyField
              id={provider.id}
              label="API key"
              source={provider.keySource}
              variable={provider.keyVariable}
              keep={(key) => useProviders.getState().setKey(provider.id, key)}
            />
          )}
          {provider.id !== "builtin" && <AddressField provider={provider} />}
          <Models provider={provider} />
          <span />
          <div className="row">
            <Button small disabled={testing || provider.baseUrl === null} onClick={() => void test()}>
              {testing ? "Testing…" : "Test"}
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}

/**
 * Returns a line about a provider: where it was found, or how many models its server listed and when, such as
 * `34 models, listed 3 March`. Otherwise returns its description.
 */
function subtitle(provider: ProviderInfo): string {
  if (provider.state === "found") {
    return `Found at ${provider.baseUrl?.replace(/^https?:\/\//, "").replace(/\/v1$/, "")}, ${count(provider)}`;
  }
  if (provider.modelsAt === null) return provider.note;
  const day = new Date(provider.modelsAt).toLocaleDateString(undefined, { day: "numeric", month: "long" });
  return `${count(provider)}, listed ${day}`;
}

function count(provider: ProviderInfo): string {
  const { length } = provider.models;
  return `${length} ${length === 1 ? "model" : "models"}`;
}

/** The maximum number of names shown without expanding the list. */
const MAX_LISTED_MODELS = 8;

function Models({ provider }: { provider: ProviderInfo }) {
  const [all, setAll] = useState(false);
  if (provider.models.length === 0) return null;
  const shown = all ? provider.models : provider.models.slice(0, MAX_LISTED_MODELS);
  return (
    <>
      <span className={rowStyles.top}>Models</span>
      <ul className={rowStyles.models} data-testid={`models-${provider.id}`}>
        {shown.map((m) => (
          <li key={m.id}>
            <b>{m.name}</b> <Message text={m.does} />
            {m.cannot !== "" && <small>{m.cannot}</small>}
          </li>
        ))}
        {shown.length < provider.models.length && (
          <li>
            <Button small onClick={() => setAll(true)}>
              {provider.models.length - shown.length} more
            </Button>
          </li>
        )}
      </ul>
    </>
  );
}
