// The providers of the double: recorded ones, with the keys that a test sets.
import type { Backend } from "../client";
import type { ProviderInfo, Settings } from "../generated/bindings";
import * as program from "../generated/recorded/program";

type ProviderCommands = Pick<
  Backend,
  | "providers"
  | "settings"
  | "saveSettings"
  | "testProvider"
  | "refreshModels"
  | "contextWindow"
  | "setKey"
  | "removeKey"
  | "keychainTrouble"
  | "prices"
  | "savePrices"
>;

const named = (list: readonly ProviderInfo[], id: string): ProviderInfo => {
  const found = list.find((one) => one.id === id);
  if (!found) throw new Error(`No provider \`${id}\` is recorded.`);
  return found;
};

/** Returns a provider that is set up: a recorded one with a server. */
export const readyProvider = (id: string): ProviderInfo => named(program.providersWithServer, id);

/** Returns a provider as it is on a computer where nothing is set up. */
export const bareProvider = (id: string): ProviderInfo => named(program.providers, id);

/**
 * Returns doubles of the commands for providers. `current` contains the settings, and `keys` the ids of the
 * keys that were set.
 */
export function testProviders(current: { settings: Settings }, keys: Set<string>): ProviderCommands {
  const withKey = (one: ProviderInfo): ProviderInfo => {
    const { state, status, ready } = readyProvider("openai");
    return keys.has(one.id) ? { ...one, state, status, ready, hasKey: true, keySource: "keychain" } : one;
  };
  return {
    // An Ollama server is running, and its models are listed.
    providers: async () =>
      program.providers.map((one) => (one.id === "ollama" ? readyProvider(one.id) : withKey(one))),
    settings: async () => current.settings,
    saveSettings: async (next) => {
      current.settings = next;
      return next;
    },
    testProvider: async () => program.providerTest,
    refreshModels: async () => [],
    contextWindow: async () => null,
    setKey: async (id) => {
      keys.add(id);
    },
    removeKey: async (id) => keys.delete(id),
    keychainTrouble: async () => null,
    prices: async () => program.prices,
    savePrices: async (own) => ({ ...program.prices, prices: own }),
  };
}
