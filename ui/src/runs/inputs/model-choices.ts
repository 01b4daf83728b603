// What can answer prompts, as lists to choose from: providers that can be used, their models with prices, and those that still need
// something.
import { api } from "../../ipc/client";
import type { ModelInfo, Price, ProviderInfo } from "../../ipc/generated/bindings";
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

/** What a node's model does and costs, and whether it can answer: "$2 in, $8 out for a million tokens", "needs a key". */
export function modelNeeds(provider: ProviderInfo, model: string, prices: readonly Price[]): string {
  if (!provider.ready) return `${provider.name}: ${stateWords(provider)}`;
  const known = provider.models.find((one) => one.id === model);
  const price = provider.id === "builtin" ? "free" : priceWords(priceOf(prices, provider.id, model));
  return [
    `${provider.name}: ${stateWords(provider)}`,
    known?.does.replace(/\.$/, ""),
    model === "" ? "" : price,
  ]
    .filter(Boolean)
    .join(" · ");
}

/**
 * The choices for one node: as the settings have it, whose `provider` is empty; then every model of what works, the built-in ones
 * by name; then what is not set up.
 */
export function nodeModelChoices(
  providers: readonly ProviderInfo[],
  prices: readonly Price[],
  fallback: ProviderInfo | null,
  model: string | null,
): ModelChoice[] {
  const builtin = providers.find((provider) => provider.id === "builtin");
  const asSet = fallback
    ? [fallback.name, fallback.id === "builtin" ? null : model].filter(Boolean).join(" · ")
    : "no provider";
  const lead: ModelChoice = {
    id: "default",
    group: "As in Settings",
    label: `Default (${asSet})`,
    detail: fallback ? modelNeeds(fallback, fallback.id === "builtin" ? "" : (model ?? ""), prices) : "",
    provider: "",
    model: null,
    isMissing: false,
  };
  const others = modelChoices(providers, prices).flatMap((choice) =>
    choice.provider !== "builtin" || !builtin?.ready || builtin.models.length === 0
      ? [choice]
      : builtin.models.map((one) => ({
          ...choice,
          id: `builtin/${one.id}`,
          label: one.name,
          detail: [modelDetail(one, "builtin", prices), "free"].filter(Boolean).join(" · "),
          model: one.id,
        })),
  );
  return [lead, ...others];
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
