// The lists of models to choose from: usable providers, their models with prices, and providers that need
// setting up.
import { api } from "../../ipc/client";
import type { ModelInfo, Price, ProviderInfo } from "../../ipc/generated/bindings";
import { plainMessage } from "../../kernels/typeset";
import { priceOf, priceWords } from "./prices";
import { useProviders } from "./providers";

export interface ModelChoice {
  id: string;
  /** The heading of the group: the provider's name and state. */
  group: string;
  label: string;
  detail: string;
  provider: string;
  /** The model's name; null if each node names its own. */
  model: string | null;
  /** Whether the provider must be set up first. */
  isMissing: boolean;
}

/** Returns the state of a provider without the instructions for setting it up: "ready", "needs a key". */
export const stateWords = ({ status }: ProviderInfo): string => status.replace(/ \(.*\)$/, "");

/** Returns a model's description as plain text, for menus and tooltips. */
const whatItDoes = (model: ModelInfo): string => plainMessage(model.does).replace(/\.$/, "");

/** Describes a model and, unless it is built in, its price in one line. */
export const modelDetail = (model: ModelInfo, provider: string, prices: readonly Price[]): string =>
  [whatItDoes(model), provider === "builtin" ? "" : priceWords(priceOf(prices, provider, model.id))]
    .filter(Boolean)
    .join(" · ");

/** Describes a model like `modelDetail`, followed by what it cannot do. */
export function modelTooltip(model: ModelInfo, provider: string, prices: readonly Price[]): string {
  const detail = modelDetail(model, provider, prices);
  if (!model.cannot) return detail;
  return detail ? `${detail}. ${model.cannot}` : model.cannot;
}

/** Returns the choices of a model for nodes that name no provider. Usable providers come first. */
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
    if (provider.id === "builtin") return [of(provider.name, "free, no key or network needed", null)];
    if (provider.models.length === 0) return [of(provider.name, "the model that each node names", null)];
    return provider.models.map((model) => of(model.name, modelDetail(model, provider.id, prices), model.id));
  });
}

/**
 * Describes a node's provider and model in one line: the provider's state, then what the model does and
 * costs. If the provider must be set up first, returns only the provider's state.
 */
export function modelNeeds(provider: ProviderInfo, model: string, prices: readonly Price[]): string {
  if (!provider.ready) return `${provider.name}: ${stateWords(provider)}`;
  const known = provider.models.find((one) => one.id === model);
  const price = provider.id === "builtin" ? "free" : priceWords(priceOf(prices, provider.id, model));
  return [`${provider.name}: ${stateWords(provider)}`, known && whatItDoes(known), model === "" ? "" : price]
    .filter(Boolean)
    .join(" · ");
}

/**
 * Returns the choices for one node, in order: the default from Settings, whose `provider` is empty; all
 * models of usable providers, built-in ones by name; the providers that are not set up.
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

/** The providers whose models were requested since the window opened. */
const asked = new Set<string>();

/**
 * Requests the models of usable providers whose models are unknown. A provider that returns none is not asked
 * again.
 */
export async function findModels(providers: readonly ProviderInfo[]): Promise<void> {
  const unknown = providers.filter(
    (p) => p.ready && p.id !== "builtin" && p.models.length === 0 && !asked.has(p.id),
  );
  if (unknown.length === 0) return;
  for (const { id } of unknown) asked.add(id);
  // If a provider's list cannot be read, the user types the model's name.
  await Promise.allSettled(unknown.map(({ id }) => api().refreshModels(id)));
  await useProviders.getState().load();
}
