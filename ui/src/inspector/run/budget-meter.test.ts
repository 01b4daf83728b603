// The use of a budget, as the meter draws it.
import { expect, test } from "vitest";
import { foldAll } from "../../runs/fold/reduce";
import {
  calls,
  completed,
  events,
  iteration,
  iterationDone,
  runStarted,
  started,
} from "../../runs/fold/samples";
import { burnOf, partsOf } from "./BudgetMeter";

const budget = (spent: number, reserved: number, limit: number | null) => ({
  type: "workflow.budget" as const,
  spent_usd: spent,
  spent_tokens: 100,
  reserved_usd: reserved,
  reserved_tokens: 10,
  budget_usd: limit,
  budget_tokens: limit === null ? 1000 : null,
});

const run = foldAll(
  "r1",
  events("r1", [
    runStarted(),
    started("refine", 3),
    iteration("refine", 0),
    started("refine[1]/draft"),
    completed("refine[1]/draft", { usage: calls(1, 10, 0.02) }),
    iterationDone("refine", 0, { usage: calls(1, 10, 0.02) }),
    iteration("refine", 1),
    started("refine[2]/draft"),
    { ...budget(0.03, 0.01, 0.1), path: "refine[2]/draft" },
  ]),
);

test("the last word on the budget holds", () => {
  expect(burnOf(run)).toEqual({ spent: 0.03, reserved: 0.01, limit: 0.1, unit: "usd" });
  expect(burnOf({ budget: null })).toBeNull();
  const tokens = foldAll("r1", events("r1", [runStarted(), budget(0, 0, null)]));
  expect(burnOf(tokens)).toEqual({ spent: 100, reserved: 10, limit: 1000, unit: "tokens" });
});

test("a larger budget counts at once", () => {
  const more = foldAll("r1", [
    ...run.log,
    ...events("r1", [{ type: "workflow.budget_set", budget_usd: 0.5, budget_tokens: null }]),
  ]);
  expect(burnOf(more)).toMatchObject({ spent: 0.03, limit: 0.5 });
  expect(more.status).toBe("running");
});

test("the parts are what was spent outside, each iteration, and what is reserved", () => {
  const burn = burnOf(run);
  if (!burn) throw new Error("the sample has a budget");
  const parts = partsOf(burn, run.root.steps.refine?.loop ?? null);
  expect(parts.map((p) => [p.key, p.tone, Number(p.share.toFixed(3))])).toEqual([
    ["other", "other", 0.1],
    ["1", "odd", 0.2],
    ["reserved", "reserved", 0.1],
  ]);
  expect(partsOf({ ...burn, limit: 0 }, null)).toEqual([]);
});
