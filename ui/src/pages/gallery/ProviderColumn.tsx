// "What runs your prompts?": the providers, the one in use, and the shortest way to a first run.

import { useEffect } from "react";
import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import { tip } from "../../components/tip";
import { errorMessage } from "../../ipc/client";
import type { ProviderInfo, TemplateInfo } from "../../ipc/generated/bindings";
import { defaultProvider, useProviders } from "../../runs/inputs/providers";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import monoTileStyles from "../MonoTile.module.css";
import { KeychainNote } from "../settings/KeychainNote";
import styles from "./ProviderColumn.module.css";

export function ProviderColumn({
  first,
  onOpen,
}: {
  first: TemplateInfo | undefined;
  onOpen(t: TemplateInfo): void;
}) {
  const state = useProviders();
  const { load, providers, failure } = state;
  useEffect(() => void load(), [load]);
  const used = defaultProvider(state);
  return (
    <aside className={styles.galleryModels} aria-label="What runs your prompts">
      <h2>What runs your prompts?</h2>
      <p>Start with the built-in model. Add others when you need them.</p>
      {failure && (
        <p className="text-error" role="alert">
          {failure}
        </p>
      )}
      <KeychainNote />
      {providers.map((p) => (
        <ProviderCard key={p.id} provider={p} used={p.id === used?.id} />
      ))}
      <p className={styles.safe}>
        <Icon name="lock" size={15} />
        <span>Keys are never written to a workflow file, a run or a log.</span>
      </p>
      <span className="grow" />
      {first && used?.ready && (
        <Button
          variant="primary"
          className={styles.continue}
          data-testid={testIds.tryTemplate}
          onClick={() => onOpen(first)}
        >
          Try {first.name} with {used.name}
        </Button>
      )}
    </aside>
  );
}

function ProviderCard({ provider, used }: { provider: ProviderInfo; used: boolean }) {
  const choose = async () => {
    try {
      await useProviders.getState().save({ provider: provider.id });
    } catch (error) {
      useSession
        .getState()
        .toast({ tone: "error", title: "The choice was not saved", detail: errorMessage(error) });
    }
  };
  return (
    <div
      className={styles.providerChoice}
      data-current={used || undefined}
      {...tip([provider.note, provider.remedy, provider.status].filter((line) => line !== "").join("\n"))}
      data-testid={`provider-${provider.id}`}
    >
      <ProviderMark provider={provider} isUsed={used} />
      <div>
        <b>{provider.name}</b>
        <small>{inShort(provider)}</small>
      </div>
      {used ? (
        <span className={styles.readyDot}>
          <Icon name={provider.ready ? "check" : "circle-alert"} size={13} />
          {provider.ready ? "in use" : "not ready"}
        </span>
      ) : provider.ready ? (
        <Button small onClick={() => void choose()}>
          Use this
        </Button>
      ) : (
        <Button small onClick={() => useSession.getState().show("settings")}>
          Set up
        </Button>
      )}
    </div>
  );
}

const hostOf = (address: string | null): string =>
  address?.replace(/^https?:\/\//, "").replace(/\/v1$/, "") ?? "";

/** Describes a provider's state in one line. Settings has the details. */
function inShort({ id, state, baseUrl, keyVariable }: ProviderInfo): string {
  if (id === "builtin") return "Ready now, nothing to set up";
  const host = hostOf(baseUrl);
  if (state === "needs_key") return "Needs an API key";
  if (state === "found") return host === "" ? "Found on this computer" : `Found at ${host}`;
  if (state === "offline") return host === "" ? "Does not answer" : `Does not answer at ${host}`;
  if (state === "not_set_up") return keyVariable === null ? "Needs an address" : "Needs an address and a key";
  return host === "" ? "Ready" : `Ready at ${host}`;
}

export function ProviderMark({ provider, isUsed }: { provider: ProviderInfo; isUsed?: boolean }) {
  const icon = {
    builtin: "cpu",
    compatible: "plug",
    ollama: "server",
    lmstudio: "server",
    "llama-server": "server",
  }[provider.id];
  return (
    <span className={classes(monoTileStyles.monoTile, isUsed && monoTileStyles.used)}>
      {icon ? <Icon name={icon} size={16} /> : provider.name.charAt(0)}
    </span>
  );
}
