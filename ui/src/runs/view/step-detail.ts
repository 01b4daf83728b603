// The values of a step, loaded on demand and cached as long as they cannot change.
import { useEffect, useState } from "react";
import { api, errorMessage } from "../../ipc/client";
import type { StepDetail } from "../../ipc/generated/bindings";

export type Loaded =
  | { readonly state: "none" }
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly detail: StepDetail }
  | { readonly state: "failed"; readonly message: string };

const MAX_CACHED_STEPS = 200;
const cache = new Map<string, Promise<StepDetail>>();

/**
 * Loads the values of a step. The result is cached for each status, because the values change only together
 * with the status.
 */
export function loadStep(runId: string, path: string, status: string): Promise<StepDetail> {
  const key = `${runId}|${path}|${status}`;
  const known = cache.get(key);
  if (known) {
    // The most recently used entry goes last, so that the oldest is evicted first.
    cache.delete(key);
    cache.set(key, known);
    return known;
  }
  const asked = api().stepDetail(runId, path);
  cache.set(key, asked);
  asked.catch(() => cache.delete(key));
  const oldest = cache.size > MAX_CACHED_STEPS ? cache.keys().next().value : undefined;
  if (oldest !== undefined) cache.delete(oldest);
  return asked;
}

/**
 * Removes a step's cached question, since an answered step may ask another one. Returns whether a question
 * was cached.
 */
export const forgetQuestion = (runId: string, path: string): boolean =>
  cache.delete(`${runId}|${path}|waiting`);

/** Returns the values of a step. `status` is the step's status, or null if there is no step to load. */
export function useStepDetail(runId: string, path: string | null, status: string | null): Loaded {
  const key = path !== null && status !== null && runId !== "" ? `${runId}|${path}|${status}` : null;
  const [loaded, setLoaded] = useState<{ key: string | null; value: Loaded }>({
    key: null,
    value: { state: "none" },
  });
  useEffect(() => {
    if (path === null || status === null || key === null) return;
    let wanted = true;
    loadStep(runId, path, status).then(
      (detail) => wanted && setLoaded({ key, value: { state: "ready", detail } }),
      (error) => wanted && setLoaded({ key, value: { state: "failed", message: errorMessage(error) } }),
    );
    return () => {
      wanted = false;
    };
  }, [runId, path, status, key]);
  if (key === null) return { state: "none" };
  return loaded.key === key ? loaded.value : { state: "loading" };
}
