// The document is analysed repeatedly while the script checker is being built.
import { afterEach, expect, test, vi } from "vitest";
import { replaceBackend } from "../ipc/client";
import { testBackend } from "../ipc/testing";
import { testAnalysis } from "../ipc/testing/analysis";
import { problemOf } from "../ipc/testing/values";
import { analyzeNow, useAnalysis } from "./analysis";
import { useDocument } from "./document";

const unread = problemOf("script_worker", { code: "script_building", severity: "warning", node: "a" });

afterEach(() => {
  vi.useRealTimers();
});

test("a script that could not be checked yet is checked once it can be", async () => {
  vi.useFakeTimers();
  let asked = 0;
  replaceBackend({
    ...testBackend(),
    analyze: async (document) => {
      asked += 1;
      return { ...testAnalysis(document), problems: asked < 3 ? [unread] : [] };
    },
  });
  useDocument.getState().open({ document: { name: "A", nodes: [], edges: [] }, path: null, version: null });
  await analyzeNow();
  const codes = () => useAnalysis.getState().analysis.problems.map(({ code }) => code);
  expect(codes()).toEqual(["script_building"]);
  await vi.advanceTimersByTimeAsync(2100);
  expect([asked, codes()]).toEqual([2, ["script_building"]]);
  await vi.advanceTimersByTimeAsync(2100);
  expect([asked, codes()]).toEqual([3, []]);
  // No further request is sent.
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(3);
});
