// The most that a run of the document in hand can cost, asked for once it has not changed for a moment.
import { useEffect, useState } from "react";
import { outermost, useDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import { api } from "../ipc/client";
import type { CostEstimate } from "../ipc/generated/bindings";
import { collectInputs, inputFields, inputsKey, useRunInputs } from "./inputs";

/** How long the document must rest, in milliseconds. */
const REST_MS = 400;

/** Asks now, with the inputs that were typed as far as they can be used. */
export function estimateNow(): Promise<CostEstimate> {
  const { root, path } = outermost(useDocument.getState());
  const typed = useRunInputs.getState().typed[inputsKey(path, root)] ?? {};
  const { inputs } = collectInputs(inputFields(root, useKinds.getState().kinds), typed);
  return api().estimate(root, path, inputs);
}

/** Null until the first answer, and where the flow has errors: then there is nothing to run. */
export function useEstimate(isRunnable: boolean): CostEstimate | null {
  const root = useDocument((s) => outermost(s).root);
  const typed = useRunInputs((s) => s.typed);
  const [estimate, setEstimate] = useState<CostEstimate | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked anew when either changes.
  useEffect(() => {
    if (!isRunnable) {
      setEstimate(null);
      return;
    }
    let wanted = true;
    const timer = setTimeout(() => {
      estimateNow().then(
        (found) => wanted && setEstimate(found),
        // The problems say what is wrong with the flow.
        () => wanted && setEstimate(null),
      );
    }, REST_MS);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [root, typed, isRunnable]);
  return estimate;
}
