// The transcript of an agent's step, read again while the agent works.
import { useEffect, useState } from "react";
import { api, errorMessage } from "../../ipc/client";
import type { Transcript } from "../../ipc/generated/bindings";
import type { Step } from "../fold/model";

export type ReadTranscript =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly transcript: Transcript }
  | { readonly state: "failed"; readonly message: string };

/** The delay before a transcript that is already shown is read again, in milliseconds. */
const AGAIN_AFTER = 300;

/**
 * Returns the transcript of a step. It is read whenever the step reports activity. The previous transcript
 * stays until the new one has arrived.
 */
export function useTranscript(runId: string, step: Step): ReadTranscript {
  const place = `${runId}|${step.path}`;
  const [read, setRead] = useState<{ place: string; value: ReadTranscript } | null>(null);
  const isShown = read?.place === place && read.value.state === "ready";
  const { path, status, attempts } = step;
  const entries = step.activity?.entries ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new status, attempt or entry requires a read; the shown transcript only delays it.
  useEffect(() => {
    let wanted = true;
    const ask = () =>
      api()
        .stepTranscript(runId, path)
        .then(
          (transcript) => wanted && setRead({ place, value: { state: "ready", transcript } }),
          (error) => wanted && setRead({ place, value: { state: "failed", message: errorMessage(error) } }),
        );
    const timer = setTimeout(ask, isShown ? AGAIN_AFTER : 0);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [runId, path, place, status, attempts, entries]);
  return read?.place === place ? read.value : { state: "loading" };
}
