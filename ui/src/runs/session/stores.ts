// The shared stores that have a name, and which of them did not answer when a run of theirs was last looked at.
import { create } from "zustand";
import { type ApiFailure, api, errorMessage } from "../../ipc/client";
import type { NamedStore } from "../../ipc/generated/bindings";

interface Stores {
  readonly stores: readonly NamedStore[];
  /** Why a store does not answer, by its name. */
  readonly silent: { readonly [store: string]: string };
  /** Reads the names. Where that fails those that are known stay: without stores the window works as before. */
  load(): Promise<void>;
  /** Remembers that a store answers (null), or why it does not. */
  heard(store: string, failure: unknown): void;
}

export const useStores = create<Stores>()((set, get) => ({
  stores: [],
  silent: {},
  async load() {
    const stores = await api()
      .stores()
      .catch(() => null);
    // The same names are the same list, so that nothing is drawn again.
    if (stores !== null && JSON.stringify(stores) !== JSON.stringify(get().stores)) set({ stores });
  },
  heard(store, failure) {
    const { [store]: before, ...others } = get().silent;
    const now = failure === null ? undefined : errorMessage(failure);
    if (before === now) return;
    set({ silent: now === undefined ? others : { ...others, [store]: now } });
  },
}));

/** How a store that cannot be used is spoken of: that it is so, and why. */
export function outOfReach(
  store: string | null,
  { message, subject, reason }: Pick<ApiFailure, "message" | "subject" | "reason">,
): { title: string; why: string } {
  if (store === null) return { title: "The history of this computer could not be read.", why: message };
  const why = reason ?? message;
  return {
    title: `The store ${store} cannot be ${subject === "store" ? "reached" : "used"}.`,
    why: why.charAt(0).toUpperCase() + why.slice(1),
  };
}
