// The first words of what a run was given, and where a fork begins to differ. The list of runs does not have them: they are read for
// the rows that are seen.
import { create } from "zustand";
import { useKinds } from "../../document/kinds";
import { api } from "../../ipc/client";
import type { Json, RunDetail } from "../../ipc/generated/bindings";
import { placeWords } from "../fold/path";
import { isUnfinishedStatus } from "../fold/status";
import { inputsInEffect } from "../inputs/inputs";

/** As many characters are more than a row has room for. */
const MAX_CHARACTERS = 120;

/** So many are kept; those that were read first go first. */
const MAX_KEPT = 2000;

/** The inputs in a line: texts as they are, other values as JSON. Empty where there are none. */
export function firstWords(inputs: Json): string {
  const values = typeof inputs === "object" && inputs !== null ? Object.values(inputs) : [];
  const texts = values
    .filter((value) => value !== null && value !== "")
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 4 * MAX_CHARACTERS));
  return texts.join(" · ").replace(/\s+/g, " ").trim().slice(0, MAX_CHARACTERS);
}

/** Of what was not given, the node's default counts. */
const wordsOf = ({ document, inputs }: RunDetail): string =>
  firstWords(inputsInEffect(document, useKinds.getState().kinds, inputs ?? {}));

const withEntry = (map: ReadonlyMap<string, string>, key: string, value: string) =>
  new Map([...map, [key, value] as const].slice(-MAX_KEPT));

interface FirstWords {
  readonly byRun: ReadonlyMap<string, string>;
  /** Of forks, by the title of the node: "Draft, iteration 2". */
  readonly places: ReadonlyMap<string, string>;
  /** Reads those of these runs that are not known, one after the other. Only the newest wish counts. */
  want(runIds: readonly string[]): void;
}

let wanted: readonly string[] = [];
/** Read for the newest wish: a run that was just begun may have no inputs yet, and is read again with the next. */
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
      // A run that cannot be read has no words, and its page says why.
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
