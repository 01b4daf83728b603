// The bound of a run is not contradicted by the figures beside it.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../components/testing";
import { useAnalysis } from "../document/analysis";
import { useDocument } from "../document/document";
import { EstimateFoot } from "./NodeSettings";

const page = pageForEach();
const region = { start: "loop", repeats: "loop", maxIterations: 3, body: [], end: "exit", depth: 0 };
const foot = async (maxCalls: number) => {
  const estimate = { maxCalls, perIteration: 2, usd: null, note: "" };
  await act(async () => {
    useAnalysis.setState((s) => ({
      whole: { ...s.whole, estimate, regions: [region] } as unknown as typeof s.whole,
    }));
  });
  return [...page.host.querySelectorAll("span")].map((span) => span.textContent).filter(Boolean);
};

beforeEach(async () => {
  const nodes = [{ id: "loop", type: "loop", position: { x: 0, y: 0 }, data: {} }];
  useDocument.getState().open({ document: { name: "A", nodes, edges: [] }, path: null, version: null });
  await act(async () => page.root.render(<EstimateFoot />));
});

test("iterations times calls are said where they come to the bound", async () => {
  expect(await foot(6)).toEqual(["3 iterations × 2 calls", "up to 6 calls"]);
});

test("where the last iteration calls less, the iterations alone", async () => {
  expect(await foot(5)).toEqual(["3 iterations", "up to 5 calls"]);
});
