// The costs of the double. Whichever days are requested, it returns recorded costs of a few days in 2026.
import type { Backend } from "../client";
import type { CostQuery, SpendingLimit } from "../generated/bindings";
import { costsBy, noCosts } from "../generated/recorded/costs";
import { failure } from "./failures";

type Costs = Pick<Backend, "costs" | "exportCosts" | "forecastCost" | "spendingLimits" | "setSpendingLimit">;

/** The query of each export of costs, by the path of the exported file. */
export const exportedCosts = new Map<string, CostQuery>();

export function testCosts(): Costs {
  const limits: SpendingLimit[] = [];
  return {
    costs: async (query) => {
      const report = costsBy[query.by];
      if (report === undefined) throw failure("noRun", query.by);
      // No costs are recorded for a single workflow.
      return query.flow === null ? report : { ...noCosts, by: query.by, flows: report.flows };
    },
    // The double has too few runs for a forecast.
    forecastCost: async () => null,
    spendingLimits: async () => [...limits],
    setSpendingLimit: async (period, flow, usd) => {
      const at = limits.findIndex((limit) => limit.period === period && limit.flow === flow);
      if (at >= 0) limits.splice(at, 1);
      if (usd !== null) limits.push({ period, flow, flowPath: null, usd });
    },
    exportCosts: async (query, path) => {
      exportedCosts.set(path, query);
    },
  };
}
