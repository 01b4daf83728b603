// What the next run of the open document is likely to cost, from its recorded runs.
import { useEffect, useState } from "react";
import { outermost, useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import { api } from "../../ipc/client";
import type { CostEstimate, CostForecast } from "../../ipc/generated/bindings";
import { collectInputs, inputFields } from "./inputs";
import { typedInHand } from "./typed-inputs";

/**
 * Returns the cost forecast for the document of `estimate`. It is requested again with each new estimate.
 * Null if the calls are free, if there are too few runs with these settings, and until the answer arrives.
 */
export function useForecast(estimate: CostEstimate | null): CostForecast | null {
  const [forecast, setForecast] = useState<{ of: CostEstimate; answer: CostForecast | null } | null>(null);
  useEffect(() => {
    if (estimate === null || estimate.maxUsd === 0) return;
    let wanted = true;
    const { root, path } = outermost(useDocument.getState());
    const { inputs } = collectInputs(inputFields(root, useKinds.getState().kinds), typedInHand());
    const keep = (answer: CostForecast | null) => {
      if (wanted) setForecast({ of: estimate, answer });
    };
    // Without a forecast the estimate is still shown, so a failure is not reported.
    api()
      .forecastCost(root, path, inputs)
      .then(keep, () => keep(null));
    return () => {
      wanted = false;
    };
  }, [estimate]);
  return forecast !== null && forecast.of === estimate ? forecast.answer : null;
}
