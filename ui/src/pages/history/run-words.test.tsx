// The words by which the list distinguishes runs of the same workflow.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../../components/testing";
import { replaceBackend } from "../../ipc/client";
import type { RunSummary } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { runDetail, runSummary } from "../../ipc/testing/values";
import { RunList } from "./RunList";
import { useHistory } from "./store";

globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

const page = pageForEach();
const startedAt = new Date(2026, 4, 20, 10, 42).toISOString();
const run = (runId: string, more: Partial<RunSummary> = {}): RunSummary =>
  runSummary({ runId, flow: "Self-Refine", startedAt, iterations: null, exitReason: null, ...more });
const fork = run("b", { forkedFrom: { runId: "a", at: "refine[2]/draft" } });

beforeEach(async () => {
  const runs = [fork, run("a")];
  replaceBackend({
    ...testBackend(),
    findRuns: async () => ({ runs, tally: { runs: 2, spentUsd: null, medianMs: 1000 } }),
    runDetail: async (id) => {
      const nodes = [{ id: "draft", type: "llm", position: { x: 0, y: 0 }, data: { label: "First draft" } }];
      const forked = { runId: "a", at: "refine[2]/draft", keptSeq: 0, kept: fork.usage };
      const inputs = { topic: `Why ${id} rises` };
      return runDetail({ inputs, origin: id === "b" ? forked : null, document: { nodes, edges: [] } });
    },
  });
  await useHistory.getState().reload();
  await act(async () => page.root.render(<RunList />));
});

const title = (id: string) => page.host.querySelector(`#run-${id} b`)?.parentElement?.textContent;

test("a run is known by what it was given, a fork by the run it comes from", async () => {
  await act(() => vi.waitFor(() => expect(title("a")).toBe("Self-RefineWhy a rises10:42")));
  await act(() =>
    vi.waitFor(() => expect(title("b")).toBe("Self-Refinefork, First draft, iteration 210:42")),
  );
});

test("a fork stands under its parent, stepped in", () => {
  const rows = [...page.host.querySelectorAll<HTMLElement>('[role="option"]')];
  expect(rows.map((row) => row.id)).toEqual(["run-a", "run-b"]);
  expect(rows.map((row) => row.hasAttribute("data-under-parent"))).toEqual([false, true]);
});

test("a fork of a run that is not on the page says which", async () => {
  const runs = [run("c", { forkedFrom: { runId: "elsewhere", at: "refine[2]/draft" } })];
  replaceBackend({
    ...testBackend(),
    findRuns: async () => ({ runs, tally: { runs: 1, spentUsd: null, medianMs: 1000 } }),
    runDetail: () => Promise.reject(new Error("no such run")),
  });
  await act(async () => useHistory.getState().reload());
  // If a run cannot be read, its id is not shown instead of its words.
  expect(title("c")).toBe("Self-Refinefork, iteration 210:42");
  expect(page.host.querySelector("#run-c")?.hasAttribute("data-under-parent")).toBe(false);
});

test("what was cut off is no free run", async () => {
  const usage = { calls: 2, input_tokens: 0, output_tokens: 0, cost_usd: null, cut_off_calls: 2 };
  const runs = [run("d", { status: "cancelled", usage })];
  replaceBackend({
    ...testBackend(),
    findRuns: async () => ({ runs, tally: { runs: 1, spentUsd: null, medianMs: 1000 } }),
  });
  await act(async () => useHistory.getState().reload());
  expect(page.host.querySelector("#run-d")?.textContent).toContain("2 calls, 2 cut off, cost not known");
});

test("a run that waits for a quota says which and until when", async () => {
  const until = new Date(new Date().setHours(23, 58, 0, 0)).toISOString();
  const runs = [run("d", { status: "running", parked: { name: "Anthropic", until } })];
  replaceBackend({
    ...testBackend(),
    findRuns: async () => ({ runs, tally: { runs: 1, spentUsd: null, medianMs: null } }),
  });
  await act(async () => useHistory.getState().reload());
  expect(page.host.querySelector("#run-d")?.textContent).toContain("Waits for Anthropic's quota until 23:58");
});
