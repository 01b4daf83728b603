// What can run the prompts: the providers and their models, read once and again after a change of settings.
import { create } from "zustand";
import { api, errorMessage } from "../../ipc/client";
import type { KeychainTrouble, ProviderInfo, Settings } from "../../ipc/generated/bindings";
import { applyTheme } from "../../session/theme";

type ProvidersState = {
  readonly providers: readonly ProviderInfo[];
  readonly settings: Settings | null;
  /** What is wrong with the system's keychain; null where nothing is. */
  readonly keychain: KeychainTrouble | null;
  readonly failure: string | null;
  load(): Promise<void>;
  /** Saves at once; what the Rust side kept is what the store then holds. */
  save(change: Partial<Settings>): Promise<void>;
  /** Keeps a key in the system's keychain, a provider's or by name that of a tool; `null` removes it. */
  setKey(id: string, key: string | null): Promise<void>;
  /** Resolves once no change is on its way: what is asked then is answered by the settings as they are shown. */
  settled(): Promise<void>;
};

/** The last save that was begun. */
let saving: Promise<unknown> = Promise.resolve();
/** The number of saves that were begun, and of those that are on their way. */
let turns = 0;
let pending = 0;
/** The settings as they were saved last, or read. */
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
      // What was changed meanwhile is newer than what was read.
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
    // One after the other, so that the last change is the one that stays.
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
      // What was changed meanwhile is not taken back by an older answer.
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
 * The provider a run uses where a node names none: the chosen one, else the first that is set up, else the built-in. A
 * server that was only found on this computer is used where it is chosen.
 */
export function defaultProvider(s: Pick<ProvidersState, "providers" | "settings">): ProviderInfo | null {
  const wanted = s.providers.find((p) => p.id === s.settings?.provider);
  const ready = s.providers.filter((p) => p.ready && p.state !== "found");
  return wanted ?? ready.find((p) => p.id !== "builtin") ?? ready[0] ?? null;
}

// The theme is a setting: whenever it is read or saved, the window wears it.
useProviders.subscribe((s, before) => {
  const theme = s.settings?.theme ?? "system";
  if (s.settings !== null && (before.settings === null || theme !== (before.settings.theme ?? "system"))) {
    applyTheme(theme);
  }
});
