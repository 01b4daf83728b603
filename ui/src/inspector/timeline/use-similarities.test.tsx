// The chart computes only the similarities that it draws.
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { api, replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import type { Iteration, LoopRecord } from "../../runs/fold/model";
import { NO_USAGE } from "../../runs/fold/model";
import { type Estimates, missingOf, useSimilarities } from "./use-similarities";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

const iteration = (number: number, more: Partial<Iteration> = {}): Iteration => ({
  number,
  status: "completed",
  startedAt: 0,
  endedAt: 1,
  durationMs: 1,
  usage: NO_USAGE,
  similarity: null,
  conditionResult: null,
  score: null,
  inputPreview: "",
  resultPreview: `draft ${number}`,
  reachedExit: true,
  scope: { steps: {} },
  ...more,
});

const loop = (iterations: Iteration[]): LoopRecord => ({
  path: "refine",
  nodeId: "refine",
  total: iterations.length,
  iterations,
  current: iterations.length,
  lastCheck: null,
  exitReason: "max_iterations",
  exhausted: false,
  iterationsRun: iterations.length,
});

const long = loop(Array.from({ length: 1000 }, (_, i) => iteration(i + 1)));

type Rendered = { record: LoopRecord; first: number; last: number; seen(estimates: Estimates): void };

function Probe({ record, first, last, seen }: Rendered) {
  seen(useSimilarities("r1", record, false, first, last));
  return null;
}

async function estimated(record: LoopRecord, first: number, last: number) {
  const seen = vi.fn<(estimates: Estimates) => void>();
  const root = createRoot(document.createElement("div"));
  await act(async () => root.render(<Probe record={record} first={first} last={last} seen={seen} />));
  for (let i = 0; i < 20; i += 1) await act(() => new Promise((done) => setTimeout(done)));
  act(() => root.unmount());
  return { numbers: [...(seen.mock.lastCall?.[0].keys() ?? [])], renders: seen.mock.calls.length };
}

test("a loop of 1,000 iterations is compared where it is drawn, and drawn anew a few times only", async () => {
  const { numbers, renders } = await estimated(long, 961, 1000);
  expect(numbers).toEqual(Array.from({ length: 40 }, (_, i) => 961 + i));
  expect(renders).toBeLessThan(20);
});

test("what the engine compared, what runs, and what is not read is left out", () => {
  const cut = { resultPreview: "A long dr…", unread: true };
  const some = loop([
    iteration(1),
    iteration(2),
    iteration(3, { similarity: 0.4 }),
    iteration(4, cut),
    iteration(5),
    iteration(6, { unread: true }),
    iteration(7, { status: "running" }),
  ]);
  const numbers = (known: Estimates, first = 1) => missingOf(some, known, first, 7).map((i) => i.number);
  expect(numbers(new Map())).toEqual([2, 6]);
  expect(numbers(new Map([[2, { value: 1, provisional: false }]]))).toEqual([6]);
  expect(numbers(new Map(), 3)).toEqual([6]);
});

test("a text that cannot be read leaves the others their figures", async () => {
  replaceBackend(testBackend());
  vi.spyOn(api(), "stepDetail").mockRejectedValue(new Error("gone"));
  const step = { nodeId: "draft", path: "refine[2]/draft", status: "completed", preview: "Long…", text: "" };
  const scope = { steps: { draft: { ...step, loop: null, inner: null } } } as unknown as Iteration["scope"];
  const record = loop([
    iteration(1),
    iteration(2, { resultPreview: "Long…", scope }),
    iteration(3),
    iteration(4),
  ]);
  expect((await estimated(record, 1, 4)).numbers).toEqual([2, 3, 4]);
});
