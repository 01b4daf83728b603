// The context windows of models. They are read again for each shown run, because a local server may use
// another window for the same model later.
import { useEffect } from "react";
import { create } from "zustand";
import { api } from "../../ipc/client";

type Windows = { readonly known: { readonly [key: string]: number | null } };

export const useWindows = create<Windows>()(() => ({ known: {} }));

const asked = new Set<string>();
const keyOf = (runId: string, model: string): string => `${runId}|${model}`;

async function readWindow(runId: string, model: string): Promise<void> {
  const key = keyOf(runId, model);
  if (asked.has(key)) return;
  asked.add(key);
  // Without an answer the window stays unknown, and the size of the prompt is shown without it.
  const window = await api()
    .contextWindow(model)
    .catch(() => null);
  useWindows.setState((s) => ({ known: { ...s.known, [key]: window } }));
}

/** Clears the cached context windows, so that they are read again. */
export function forgetWindows(): void {
  asked.clear();
  useWindows.setState({ known: {} });
}

/**
 * Returns a function that returns the context window of a model in tokens, or null while it is unknown. Loads
 * the windows of `models`.
 */
export function useContextWindows(
  runId: string,
  models: readonly string[],
): (model: string) => number | null {
  const known = useWindows((s) => s.known);
  const names = models.join("\n");
  useEffect(() => {
    for (const model of names.split("\n")) if (model !== "") void readWindow(runId, model);
  }, [runId, names]);
  return (model) => known[keyOf(runId, model)] ?? null;
}
