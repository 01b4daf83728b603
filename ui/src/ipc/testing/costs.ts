// The costs of the double: those that the program said about a few days of 2026, whatever days are asked for.
import type { Backend } from "../client";
import type { CostQuery } from "../generated/bindings";
import { costsBy, noCosts } from "../generated/recorded/costs";
import { failure } from "./failures";

type Costs = Pick<Backend, "costs" | "exportCosts" | "forecastCost">;

/** The queries whose lines were exported, by path. */
export const exportedCosts = new Map<string, CostQuery>();

export function testCosts(): Costs {
  return {
    costs: async (query) => {
      const report = costsBy[query.by];
      if (report === undefined) throw failure("noRun", query.by);
      // No recorded workflow is asked for by itself.
      return query.flow === null ? report : { ...noCosts, by: query.by, flows: report.flows };
    },
    // The double keeps too few runs for a forecast.
    forecastCost: async () => null,
    exportCosts: async (query, path) => {
      exportedCosts.set(path, query);
    },
  };
}
