// The maximum cost of a run agrees with the figures shown next to it.
import { act } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../components/testing";
import { useAnalysis } from "../document/analysis";
import { useDocument } from "../document/document";
import { api, replaceBackend } from "../ipc/client";
import type { CostEstimate, FlowNode } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { costEstimate, priceWith } from "../ipc/testing/values";
import { useProviders } from "../runs/inputs/providers";
import { CostBound } from "../shell/CostBound";
import { testIds } from "../testids";
import { EstimateFoot } from "./NodeSettings";

const page = pageForEach();
/** A model with a price. */
const MODEL = { provider: "openai", model: "gpt-4.1-mini", prompt: "Write." };
const region = { start: "loop", repeats: "loop", maxIterations: 3, body: [], end: "exit", depth: 0 };
const words = () =>
  [...page.host.querySelectorAll('[data-testid="estimate-foot"] span')]
    .map((span) => span.textContent)
    .filter(Boolean);
const foot = async (maxCalls: number, agentTurns = 0) => {
  const counts = agentTurns > 0 ? `up to ${agentTurns} agent turns` : `up to ${maxCalls} calls`;
  const note = agentTurns > 0 ? `${counts}, cost not bounded` : "";
  const estimate = { maxCalls, perIteration: 2, agentTurns, usd: null, counts, note };
  await act(async () => {
    useAnalysis.setState((s) => ({
      whole: { ...s.whole, estimate, regions: [region], runnable: true } as unknown as typeof s.whole,
    }));
  });
  return words();
};
/** Waits until the document is idle and the estimate has arrived. */
const waitForEstimate = () => act(() => vi.advanceTimersByTimeAsync(400));

let most: CostEstimate;
let asked: number;

/** Returns why the maximum cost of a flow of only this node is unknown and has no bound. */
async function unboundedOf(node: FlowNode): Promise<Pick<CostEstimate, "unknown" | "unbounded">> {
  const { unknown, unbounded } = await testBackend().estimate({ nodes: [node], edges: [] }, null, {});
  expect([unknown.length, unbounded.length]).toEqual([1, 1]);
  return { unknown, unbounded };
}

afterEach(() => vi.useRealTimers());
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  most = costEstimate({ maxCalls: 5, maxUsd: 0.0234, maxTokens: 1000 });
  asked = 0;
  const price = priceWith({ provider: "ollama", model: "llama3.2:3b", input: 2, output: 8 });
  const backend = testBackend();
  replaceBackend({
    ...backend,
    estimate: async () => {
      asked += 1;
      return most;
    },
    prices: async () => ({ ...(await backend.prices()), prices: [price] }),
  });
  await useProviders.getState().load();
  const nodes = [{ id: "loop", type: "loop", position: { x: 0, y: 0 }, data: {} }];
  useDocument.getState().open({ document: { name: "A", nodes, edges: [] }, path: null, version: null });
  await act(async () =>
    page.root.render(
      <>
        <CostBound />
        <EstimateFoot />
      </>,
    ),
  );
});
const bound = () => page.host.querySelector<HTMLElement>(`[data-testid="${testIds.callEstimate}"]`);

test("iterations times calls are said where they come to the bound", async () => {
  expect(await foot(6)).toEqual(["3 iterations × 2 calls", "up to 6 calls"]);
});

test("where the last iteration calls less, the iterations alone", async () => {
  expect(await foot(5)).toEqual(["3 iterations", "up to 5 calls"]);
});

test("the panel says the same price as the run box, and the program is asked once", async () => {
  await foot(5);
  await waitForEstimate();
  expect(words()).toEqual(["3 iterations", "up to 5 calls · ≤ $0.023"]);
  expect(bound()?.textContent).toBe("up to 5 calls · ≤ $0.023");
  expect(asked).toBe(1);
});

test("a budget below that is what the panel says", async () => {
  await act(() => useProviders.getState().save({ budgetUsd: 0.01 }));
  await foot(5);
  await waitForEstimate();
  expect(words()).toEqual(["3 iterations", "up to 5 calls · ≤ $0.010"]);
  expect(bound()?.textContent).toBe("up to 5 calls · ≤ $0.010 by budget");
});

test("a forecast is said with the number of runs that it rests on", async () => {
  const forecast = {
    runs: 31,
    likelyUsd: 0.02,
    boundUsd: 0.022,
    inside: 19,
    of: 20,
    words: "$0.02 likely, at most $0.022 in 19 of 20 runs, never more than $0.0234 (all its calls)",
  };
  vi.spyOn(api(), "forecastCost").mockResolvedValue(forecast);
  await foot(5);
  await waitForEstimate();
  expect(bound()?.textContent).toBe("up to 5 calls · ≤ $0.023 · $0.020 likely");
  await act(async () => bound()?.click());
  const found = page.host.querySelector(`[data-testid="${testIds.costForecast}"]`)?.textContent;
  expect(found).toContain("$0.02 likely, at most $0.022 in 19 of 20 runs");
  expect(found).toContain("From 31 recorded runs of this workflow");
});

test("a run whose cost has no bound says so, and why, with what the model costs", async () => {
  const draft = { id: "draft", type: "llm", position: { x: 0, y: 0 }, data: { label: "Draft", ...MODEL } };
  const { unknown } = await unboundedOf(draft);
  most = { ...most, maxUsd: null, unknown };
  await act(() => useProviders.getState().save({ provider: "ollama", model: "llama3.2:3b" }));
  await foot(5);
  await waitForEstimate();
  expect(words()).toEqual(["3 iterations", "up to 5 calls · cost not known"]);
  expect(bound()?.textContent).toBe("up to 5 calls · cost not known");
  await act(async () => bound()?.click());
  const why = page.host.querySelector('[role="dialog"]')?.textContent;
  expect(why).toContain(unknown[0]?.replace('"Draft"', "“Draft”"));
  expect(why).toContain("llama3.2:3b: $2 in, $8 out per million tokens.");
});

test("where a node lacks Max tokens, that is said, and a press sets it", async () => {
  const router = {
    id: "judge",
    type: "router",
    position: { x: 0, y: 0 },
    data: { label: "Router", mode: "llm", branches: ["good"], ...MODEL },
  };
  useDocument
    .getState()
    .open({ document: { name: "A", nodes: [router], edges: [] }, path: null, version: null });
  most = { ...most, maxUsd: null, ...(await unboundedOf(router)) };
  await foot(5);
  await waitForEstimate();
  expect(bound()?.textContent).toBe("up to 5 calls · no upper bound: Router has no Max tokens");
  await act(async () => bound()?.click());
  const button = page.host.querySelector<HTMLElement>('[data-testid="bound-answers"]');
  expect(button?.textContent).toBe("Set Max tokens of Router to 1,024");
  most = { ...most, maxUsd: 0.01, unknown: [], unbounded: [] };
  await act(async () => button?.click());
  expect(useDocument.getState().document.nodes[0]?.data).toMatchObject({ maxTokens: 1024 });
  await waitForEstimate();
  expect(bound()?.textContent).toBe("up to 5 calls · ≤ $0.010");
});

test("what is free has no price", async () => {
  most = { ...most, maxUsd: 0 };
  await foot(5);
  await waitForEstimate();
  expect(asked).toBe(1);
  expect(words()).toEqual(["3 iterations", "up to 5 calls"]);
});

test("turns of agents are counted, and nothing bounds their cost", async () => {
  most = { ...most, maxCalls: 0, maxUsd: null, maxTokens: null, agentTurns: 5 };
  await act(() => useProviders.getState().save({ budgetUsd: 0.01 }));
  await foot(0, 5);
  await waitForEstimate();
  expect(words()).toEqual(["3 iterations", "up to 5 agent turns · cost not bounded"]);
  expect(bound()?.textContent).toBe("up to 5 agent turns · cost not bounded");
});

test("another model has another price, also where nothing else was changed", async () => {
  await foot(5);
  await waitForEstimate();
  expect(bound()?.textContent).toContain("$0.023");
  most = { ...most, maxUsd: 0.5 };
  await act(() => useProviders.getState().save({ provider: "ollama", model: "llama3.2:3b" }));
  await waitForEstimate();
  expect(bound()?.textContent).toBe("up to 5 calls · ≤ $0.50");
});
