// The batches of the shown store, with their actions. The list is polled while it is visible.
import { create } from "zustand";
import { fileName } from "../../document/document";
import { type ApiFailure, api, asFailure, errorMessage } from "../../ipc/client";
import type { BatchView, RunSummary } from "../../ipc/generated/bindings";
import { plural } from "../../runs/words/format";
import { askQuestion } from "../../session/dialog";
import { useSession } from "../../session/session";
import { NO_FILTER, toQuery } from "./filter";
import { useHistory } from "./store";

/** How many of a batch's runs its panel lists. */
export const RUNS_SHOWN = 20;

interface Batches {
  /** The batches, newest first; null until they are loaded. */
  readonly batches: readonly BatchView[] | null;
  readonly failure: ApiFailure | null;
  /** The name of the batch whose panel is open; null if no panel is open. */
  readonly chosen: string | null;
  /** The newest runs of the chosen batch. */
  readonly runs: readonly RunSummary[];
  choose(name: string | null): void;
  /** Reads the batches of the store again, and the runs of the chosen batch. */
  reload(): Promise<void>;
  /** Like `reload`, unless a request is pending. */
  look(): Promise<void>;
}

const NOTHING = { batches: null, failure: null, chosen: null, runs: [] };

let reading = 0;

export const useBatches = create<Batches>()((set, get) => ({
  ...NOTHING,
  choose(chosen) {
    set({ chosen, runs: [] });
    // If this read fails, the next poll repeats it.
    if (chosen !== null) readRuns().catch((error: unknown) => set({ failure: asFailure(error) }));
  },
  async reload() {
    const { where } = useHistory.getState();
    if (where === null) return;
    reading += 1;
    try {
      const batches = await api().batches(where);
      if (where !== useHistory.getState().where) return;
      // The objects are copied, because the backend double of the tests changes its own objects.
      set({ batches: structuredClone(batches), failure: null });
      if (!batches.some(({ name }) => name === get().chosen)) set({ chosen: null, runs: [] });
      await readRuns();
    } catch (error) {
      if (where === useHistory.getState().where) set({ failure: asFailure(error) });
    } finally {
      reading -= 1;
    }
  },
  look: () => (reading > 0 ? Promise.resolve() : get().reload()),
}));

export const chosenBatch = ({ batches, chosen }: Pick<Batches, "batches" | "chosen">): BatchView | null =>
  batches?.find(({ name }) => name === chosen) ?? null;

async function readRuns(): Promise<void> {
  const { where } = useHistory.getState();
  const batch = chosenBatch(useBatches.getState());
  if (where === null || batch === null) return;
  const { name } = batch;
  const query = toQuery({ ...NO_FILTER, batch: name }, Date.now(), 0, RUNS_SHOWN);
  const found = await api().findRuns(query, where);
  if (useBatches.getState().chosen === name && useHistory.getState().where === where)
    useBatches.setState({ runs: found.runs });
}

// Another store has other batches, so the loaded ones are dropped.
useHistory.subscribe(({ where }, before) => {
  if (where !== before.where) useBatches.setState(NOTHING);
});

/** Returns the number of unfinished runs. */
export const openRuns = ({ queued, running, suspended }: BatchView): number => queued + running + suspended;

const COUNTS = [
  ["completed", "done"],
  ["failed", "failed"],
  ["cancelled", "stopped"],
  ["running", "running"],
  ["suspended", "waiting or paused"],
  ["queued", "queued"],
] as const;

/** Formats the counts: "3 done, 1 running, 1 queued". */
export function countWords(batch: BatchView): string {
  const parts = COUNTS.flatMap(([key, word]) => (batch[key] > 0 ? `${batch[key]} ${word}` : []));
  return parts.length === 0 ? "no runs" : parts.join(", ");
}

/**
 * Returns the parts of the progress bar as percentages of all runs: finished runs by outcome, then those that
 * have started. Queued runs have no part.
 */
export function progressOf(batch: BatchView): { key: string; percent: number }[] {
  if (batch.runs === 0) return [];
  return COUNTS.filter(([key]) => key !== "queued" && batch[key] > 0).map(([key]) => ({
    key,
    percent: (100 * batch[key]) / batch.runs,
  }));
}

/** Runs an action on a batch of the shown store, reports the result, and reloads the batches. */
async function withBatch(refused: string, act: (store: string) => Promise<string | null>): Promise<void> {
  const { where } = useHistory.getState();
  if (where === null) return;
  const { toast } = useSession.getState();
  try {
    const done = await act(where);
    if (done !== null) toast({ tone: "ok", title: done });
  } catch (error) {
    toast({ tone: "error", title: refused, detail: errorMessage(error) });
  }
  await useBatches.getState().reload();
}

export async function stopBatch(batch: BatchView): Promise<void> {
  const isSure = await askQuestion({
    title: `Stop the batch “${batch.name}”?`,
    detail: `${plural(openRuns(batch), "run")} that ${openRuns(batch) === 1 ? "has" : "have"} not ended will be stopped. Finished work is kept, and you can run the rest again.`,
    choices: [
      { label: "Stop", value: true, tone: "danger" },
      { label: "Cancel", value: false },
    ],
    cancel: false,
  });
  if (!isSure) return;
  await withBatch("The batch was not stopped", async (store) => {
    const count = await api().stopBatch(store, batch.name);
    return `${plural(count, "run was", "runs were")} asked to stop`;
  });
}

export const retryBatch = (batch: BatchView): Promise<void> =>
  withBatch("The runs were not repeated", async (store) => {
    const count = await api().retryBatch(store, batch.name);
    return `${plural(count, "run")} will be repeated`;
  });

export const saveOutputs = (batch: BatchView): Promise<void> =>
  withBatch("The outputs were not saved", async (store) => {
    const path = await api().pickExport(`${batch.name}.jsonl`);
    if (path === null) return null;
    await api().saveBatchOutputs(store, batch.name, path);
    return `The outputs were saved to “${fileName(path, undefined)}”`;
  });

export async function deleteBatch(batch: BatchView): Promise<void> {
  const isSure = await askQuestion({
    title: `Delete the batch “${batch.name}”?`,
    detail: `This deletes the batch and its ${plural(batch.runs, "run")} from the store, for everyone who uses it.`,
    choices: [
      { label: "Delete", value: true, tone: "danger" },
      { label: "Cancel", value: false },
    ],
    cancel: false,
  });
  if (!isSure) return;
  await withBatch("The batch was not deleted", async (store) => {
    await api().deleteBatch(store, batch.name);
    return null;
  });
}
