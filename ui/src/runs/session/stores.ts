// The named shared stores, and which of them did not answer the last request about one of their runs.
import { create } from "zustand";
import { type ApiFailure, api, errorMessage } from "../../ipc/client";
import type { NamedStore } from "../../ipc/generated/bindings";

interface Stores {
  readonly stores: readonly NamedStore[];
  /** Why a store does not answer, keyed by the store's name. Stores that answer have no entry. */
  readonly silent: { readonly [store: string]: string };
  /**
   * Reads the names of the stores. On failure the known names stay, since the window works without stores.
   */
  load(): Promise<void>;
  /** Records that a store answers (`failure` is null), or why it does not. */
  heard(store: string, failure: unknown): void;
}

export const useStores = create<Stores>()((set, get) => ({
  stores: [],
  silent: {},
  async load() {
    const stores = await api()
      .stores()
      .catch(() => null);
    // An unchanged list keeps its identity, so that nothing re-renders.
    if (stores !== null && JSON.stringify(stores) !== JSON.stringify(get().stores)) set({ stores });
  },
  heard(store, failure) {
    const { [store]: before, ...others } = get().silent;
    const now = failure === null ? undefined : errorMessage(failure);
    if (before === now) return;
    set({ silent: now === undefined ? others : { ...others, [store]: now } });
  },
}));

/** Describes a store that cannot be used: a title and the reason. */
export function outOfReach(
  store: string | null,
  { message, subject, reason }: Pick<ApiFailure, "message" | "subject" | "reason">,
): { title: string; why: string } {
  if (store === null) return { title: "The history of this computer could not be read.", why: message };
  return {
    title: `The store ${store} cannot be ${subject === "store" ? "reached" : "used"}.`,
    why: reason ?? message,
  };
}
