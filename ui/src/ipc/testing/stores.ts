// In-memory shared stores: their names, and batches added by tests. Real ones need PostgreSQL, so only their error is
// recorded.
import type { Backend } from "../client";
import { ApiFailure } from "../client";
import type { BatchView, NamedStore, RunSummary, StoreCheck } from "../generated/bindings";
import { failure } from "./failures";

type StoreCommands = Pick<
  Backend,
  | "followRun"
  | "unfollowRun"
  | "stores"
  | "addStore"
  | "removeStore"
  | "checkStore"
  | "batches"
  | "stopBatch"
  | "retryBatch"
  | "deleteBatch"
  | "saveBatchOutputs"
>;

/** The contents of a shared store. */
export type StoreDouble = {
  readonly check: StoreCheck;
  readonly batches: BatchView[];
  /** The runs, newest first. Their ids start with the store's name. */
  readonly runs?: readonly RunSummary[];
  /** The runs of each batch, by its name. */
  readonly batchRuns?: { readonly [batch: string]: readonly string[] };
};

/**
 * The stores by name. Tests may add stores. A name in the settings without an entry here is a store that does
 * not answer.
 */
export const storeDoubles = new Map<string, StoreDouble>();

/**
 * Returns the contents of a store. Throws the error of a store that does not answer if there is no entry with
 * this name.
 */
export function inside(name: string): StoreDouble {
  const found = storeDoubles.get(name);
  if (found) return found;
  throw failure("silentStore", name);
}

export function sharedStores(): StoreCommands {
  const named: NamedStore[] = [];
  const batch = (store: string, name: string): BatchView => {
    const found = inside(store).batches.find((one) => one.name === name);
    if (!found) throw new ApiFailure({ code: "io", message: `There is no batch ${name}.`, path: null });
    return found;
  };
  return {
    followRun: async () => undefined,
    unfollowRun: async () => undefined,
    stores: async () => [...named],
    addStore: async (name, url) => {
      const store = { name, url: url.replace(/:[^:@/]*@/, "@") };
      named.push(store);
      return store;
    },
    removeStore: async (name) => {
      named.splice(
        named.findIndex((store) => store.name === name),
        1,
      );
    },
    checkStore: async (name) => inside(name).check,
    batches: async (store) => inside(store).batches,
    stopBatch: async (store, name) => {
      const one = batch(store, name);
      const open = one.queued + one.running + one.suspended;
      Object.assign(one, {
        stopped: true,
        queued: 0,
        running: 0,
        suspended: 0,
        cancelled: one.cancelled + open,
      });
      return open;
    },
    retryBatch: async (store, name) => {
      const one = batch(store, name);
      const again = one.failed + one.cancelled;
      Object.assign(one, { failed: 0, cancelled: 0, queued: one.queued + again, stopped: false });
      return again;
    },
    deleteBatch: async (store, name) => {
      const { batches } = inside(store);
      batches.splice(batches.indexOf(batch(store, name)), 1);
    },
    saveBatchOutputs: async (store, name) => void batch(store, name),
  };
}
