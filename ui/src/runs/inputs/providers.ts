// The providers that can answer prompts, and their models. They are read once, and again whenever the
// settings change.
import { create } from "zustand";
import { api, errorMessage } from "../../ipc/client";
import type { KeychainTrouble, ProviderInfo, Settings } from "../../ipc/generated/bindings";
import { applyTheme } from "../../session/theme";

type ProvidersState = {
  readonly providers: readonly ProviderInfo[];
  readonly settings: Settings | null;
  /** Why the window cannot use the system's keychain; null if it can. */
  readonly keychain: KeychainTrouble | null;
  readonly failure: string | null;
  load(): Promise<void>;
  /**
   * Saves a change to the settings immediately. Afterwards the store contains the settings as Rust saved
   * them.
   */
  save(change: Partial<Settings>): Promise<void>;
  /**
   * Saves a key in the system's keychain, under the provider's id or the key name of a tool; `null` removes
   * it.
   */
  setKey(id: string, key: string | null): Promise<void>;
  /** Resolves when all saves have completed, so that a later request uses the settings as shown. */
  settled(): Promise<void>;
};

/** The most recently started save. */
let saving: Promise<unknown> = Promise.resolve();
/** The number of saves started, and the number still pending. */
let turns = 0;
let pending = 0;
/** The settings as last saved or read; null until they are read. */
let kept: Settings | null = null;

export const useProviders = create<ProvidersState>()((set, get) => ({
  providers: [],
  settings: null,
  keychain: null,
  failure: null,
  async load() {
    const turn = turns;
    const isSaving = pending > 0;
    try {
      const [providers, settings] = await Promise.all([api().providers(), api().settings()]);
      // A change made while the settings were read is newer than them.
      if (isSaving || turn !== turns) set({ providers, failure: null });
      else {
        kept = settings;
        set({ providers, settings, failure: null });
      }
      set({ keychain: await api().keychainTrouble() });
    } catch (error) {
      set({ failure: errorMessage(error) });
    }
  },
  async save(change) {
    const before = get().settings;
    if (before === null) return;
    const turn = ++turns;
    pending += 1;
    const wanted = { ...before, ...change };
    set({ settings: wanted });
    // Saves run in order, so that the last change wins.
    const saved = saving.then(() => api().saveSettings(wanted));
    saving = saved.then(
      (settings) => {
        kept = settings;
      },
      () => undefined,
    );
    try {
      const settings = await saved;
      const providers = await api().providers();
      // An older response must not undo a change made after its request.
      set(turn === turns ? { settings, providers, failure: null } : { providers });
    } catch (error) {
      set(turn === turns ? { settings: kept ?? before, failure: errorMessage(error) } : {});
      throw error;
    } finally {
      pending -= 1;
    }
  },
  async setKey(id, key) {
    await (key === null ? api().removeKey(id) : api().setKey(id, key));
    set({ providers: await api().providers(), failure: null });
  },
  async settled() {
    await saving;
  },
}));

/**
 * Returns the provider for nodes that name none: the chosen one, otherwise the first that is set up,
 * otherwise the built-in one. A server merely discovered on this computer is used only if chosen. Null until
 * the providers are read.
 */
export function defaultProvider(s: Pick<ProvidersState, "providers" | "settings">): ProviderInfo | null {
  const wanted = s.providers.find((p) => p.id === s.settings?.provider);
  const ready = s.providers.filter((p) => p.ready && p.state !== "found");
  return wanted ?? ready.find((p) => p.id !== "builtin") ?? ready[0] ?? null;
}

// The theme is a setting, so the window applies it whenever settings are read or saved.
useProviders.subscribe((s, before) => {
  const theme = s.settings?.theme ?? "system";
  if (s.settings !== null && (before.settings === null || theme !== (before.settings.theme ?? "system"))) {
    applyTheme(theme);
  }
});
