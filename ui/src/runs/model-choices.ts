// What can answer prompts, as lists to choose from: providers that can be used, their models with prices, and those that still need
// something.
import { api } from "../ipc/client";
import type { ModelInfo, Price, ProviderInfo } from "../ipc/generated/bindings";
import { priceOf, priceWords } from "./prices";
import { useProviders } from "./providers";

export interface ModelChoice {
  id: string;
  /** The provider and its state. */
  group: string;
  label: string;
  detail: string;
  provider: string;
  /** The model's name; null: as each node says. */
  model: string | null;
  /** Whether the provider must be set up first. */
  isMissing: boolean;
}

/** "ready", "needs a key", without how that is given. */
export const stateWords = ({ status }: ProviderInfo): string => status.replace(/ \(.*\)$/, "");

/** What a model does and costs, in a line. */
export const modelDetail = (model: ModelInfo, provider: string, prices: readonly Price[]): string =>
  [
    model.does.replace(/\.$/, ""),
    provider === "builtin" ? "" : priceWords(priceOf(prices, provider, model.id)),
  ]
    .filter(Boolean)
    .join(" · ");

/** The choices for prompts whose nodes name no provider: those that work first. */
export function modelChoices(providers: readonly ProviderInfo[], prices: readonly Price[]): ModelChoice[] {
  const ready = providers.filter((p) => p.ready);
  const missing = providers.filter((p) => !p.ready);
  return [...ready, ...missing].flatMap((provider) => {
    const of = (label: string, detail: string, model: string | null): ModelChoice => ({
      id: `${provider.id}/${model ?? ""}`,
      group: provider.ready ? `${provider.name} · ${stateWords(provider)}` : "Not set up",
      label,
      detail,
      provider: provider.id,
      model,
      isMissing: !provider.ready,
    });
    if (!provider.ready) return [of(provider.name, stateWords(provider), null)];
    if (provider.id === "builtin") return [of(provider.name, "free, without a key and network", null)];
    if (provider.models.length === 0) return [of(provider.name, "the model that each node names", null)];
    return provider.models.map((model) => of(model.name, modelDetail(model, provider.id, prices), model.id));
  });
}

/** Providers whose models were asked for since the window opened. */
const asked = new Set<string>();

/** Asks providers that can be used, and whose models are not known, for them. One that gives none is not asked again. */
export async function findModels(providers: readonly ProviderInfo[]): Promise<void> {
  const unknown = providers.filter(
    (p) => p.ready && p.id !== "builtin" && p.models.length === 0 && !asked.has(p.id),
  );
  if (unknown.length === 0) return;
  for (const { id } of unknown) asked.add(id);
  // Without its list a model is named by hand.
  await Promise.allSettled(unknown.map(({ id }) => api().refreshModels(id)));
  await useProviders.getState().load();
}
