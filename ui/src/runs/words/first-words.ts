// The first words of each run's inputs, and the place where a fork starts. The list of runs contains neither,
// so both are loaded for the visible rows.
import { create } from "zustand";
import { useKinds } from "../../document/kinds";
import { api } from "../../ipc/client";
import type { Json, RunDetail } from "../../ipc/generated/bindings";
import { placeWords } from "../fold/path";
import { isUnfinishedStatus } from "../fold/status";
import { inputsInEffect } from "../inputs/inputs";

/** The maximum number of characters kept, more than a row can show. */
const MAX_CHARACTERS = 120;

/** The maximum number of entries kept. The oldest are evicted first. */
const MAX_KEPT = 2000;

/** Formats the inputs in one line: strings unchanged, other values as JSON. Empty if there are none. */
export function firstWords(inputs: Json): string {
  const values = typeof inputs === "object" && inputs !== null ? Object.values(inputs) : [];
  const texts = values
    .filter((value) => value !== null && value !== "")
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 4 * MAX_CHARACTERS));
  return texts.join(" · ").replace(/\s+/g, " ").trim().slice(0, MAX_CHARACTERS);
}

/** Returns the first words of a run's inputs. An input without a value uses its node's default. */
const wordsOf = ({ document, inputs }: RunDetail): string =>
  firstWords(inputsInEffect(document, useKinds.getState().kinds, inputs ?? {}));

const withEntry = (map: ReadonlyMap<string, string>, key: string, value: string) =>
  new Map([...map, [key, value] as const].slice(-MAX_KEPT));

interface FirstWords {
  readonly byRun: ReadonlyMap<string, string>;
  /** The place where each fork starts, with the title of the node: "Draft, iteration 2". */
  readonly places: ReadonlyMap<string, string>;
  /**
   * Loads the missing entries for these runs, one after the other. A new call replaces the list of an older
   * one.
   */
  want(runIds: readonly string[]): void;
}

let wanted: readonly string[] = [];
/**
 * The runs that were read since the newest call of `want`. A run that has just begun may have no inputs yet, and
 * the next call reads it again.
 */
let tried = new Set<string>();
let isReading = false;

export const useFirstWords = create<FirstWords>()((set, get) => {
  const read = async () => {
    if (isReading) return;
    isReading = true;
    for (;;) {
      const next = wanted.find((id) => !get().byRun.has(id) && !tried.has(id));
      if (next === undefined) break;
      tried.add(next);
      // A run that cannot be read gets no words. Its page shows the reason.
      const detail = await api()
        .runDetail(next)
        .catch(() => null);
      if (detail === null) continue;
      const { document, origin } = detail;
      if (origin) set((s) => ({ places: withEntry(s.places, next, placeWords(origin.at, document)) }));
      const words = wordsOf(detail);
      if (words === "" && isUnfinishedStatus(detail.summary.status)) continue;
      set((s) => ({ byRun: withEntry(s.byRun, next, words) }));
    }
    isReading = false;
  };
  return {
    byRun: new Map(),
    places: new Map(),
    want(runIds) {
      wanted = runIds;
      tried = new Set();
      void read();
    },
  };
});
