// A long past run is read in parts: first its outline, then the results of its iterations, then the selected
// iterations.
import { beforeEach, describe, expect, test, vi } from "vitest";
import { useDocument } from "../../document/document";
import { replaceBackend } from "../../ipc/client";
import type { IterationInfo, RunEvent } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { iterationInfo, runDetail } from "../../ipc/testing/values";
import { useChosenIteration } from "../../session/chosen-iteration";
import { useRuns } from "../session/store";
import { shownStep } from "../view/view";
import { loopAt, readPast, unreadAround } from "./past";
import {
  calls,
  completed,
  events,
  iteration,
  iterationDone,
  runCompleted,
  runStarted,
  started,
} from "./samples";

const COUNT = 1000;

const inside = (k: number) => [
  iteration("refine", k - 1, COUNT),
  started(`refine[${k}]/draft`),
  completed(`refine[${k}]/draft`, { usage: calls(1), preview: `draft ${k}` }),
  iterationDone("refine", k - 1),
];

const all = events("long", [
  runStarted(),
  started("refine", COUNT),
  ...Array.from({ length: COUNT }, (_, i) => inside(i + 1)).flat(),
  completed("refine", { iterations_run: COUNT, exit_reason: "max_iterations", exhausted: true }),
  runCompleted({}, calls(COUNT)),
]);

const results: IterationInfo[] = Array.from({ length: COUNT }, (_, index) =>
  iterationInfo({
    index,
    similarity: index === 0 ? null : 0.9,
    usage: calls(1),
    resultPreview: `draft ${index + 1}`,
  }),
);

let asked: string[] = [];

beforeEach(() => {
  asked = [];
  replaceBackend({
    ...testBackend(),
    runDetail: async () => runDetail({ document: { name: "Long", nodes: [], edges: [] } }),
    runOutline: async () => all.filter((e) => !e.path.includes("[") && !("index" in e)),
    runEvents: async () => {
      asked.push("all");
      return all;
    },
    runIterations: async (_run, _scope, offset, limit) => {
      asked.push(`results ${offset}`);
      return { total: COUNT, iterations: results.slice(offset, offset + limit) };
    },
    iterationEvents: async (_run, scope, first, count) => {
      asked.push(`inside ${first}+${count}`);
      return all.filter((e: RunEvent) => {
        const inside = e.path.startsWith(`${scope}[`) ? e.path.slice(scope.length + 1) : "";
        const number = e.type === "workflow.node.iteration" ? e.index + 1 : Number.parseInt(inside, 10);
        return number > first && number <= first + count;
      });
    },
  });
  useDocument.getState().open({ document: { nodes: [], edges: [] }, path: null, version: null });
  useChosenIteration.getState().reset();
  useRuns.setState({ live: null, past: null });
});

describe("a run of a thousand iterations", () => {
  test("is read without what happened inside", async () => {
    const state = await readPast("long", "completed");
    expect(asked).toEqual(["results 0", "results 500"]);
    const loop = loopAt(state, "refine");
    expect(loop).toMatchObject({ exitReason: "max_iterations", iterationsRun: COUNT, current: COUNT });
    expect(loop?.iterations).toHaveLength(COUNT);
    expect(loop?.iterations[998]).toMatchObject({ number: 999, similarity: 0.9, unread: true });
  });

  test("reads an iteration with its neighbours once it is looked at, and the first to compare with", async () => {
    await useRuns.getState().open("long");
    await vi.waitFor(() => expect(asked).toContain("inside 960+40"));
    const shown = () => {
      const state = useRuns.getState().past?.state;
      return state && shownStep(state, useChosenIteration.getState().chosen, "draft")?.preview;
    };
    await vi.waitFor(() => expect(shown()).toBe("draft 1000"));
    expect(asked).toContain("inside 0+1");
    useChosenIteration.getState().choose("refine", 500);
    await vi.waitFor(() => expect(shown()).toBe("draft 500"));
    const { past } = useRuns.getState();
    expect(past && loopAt(past.state, "refine")?.iterations[499]?.inputPreview).toBe("input 499");
    const before = asked.length;
    useChosenIteration.getState().choose("refine", 501);
    expect(shown()).toBe("draft 501");
    expect(asked.length).toBe(before);
    expect(asked).not.toContain("all");
  });

  test("nothing is asked for while what is shown is there", async () => {
    const loop = loopAt(await readPast("long", "completed"), "refine");
    if (!loop) throw new Error("the sample has a loop");
    expect(unreadAround(loop, 500)).toEqual([
      [479, 41],
      [0, 1],
    ]);
    const read = { ...loop, iterations: loop.iterations.map((i) => ({ ...i, unread: i.number > 530 })) };
    expect(unreadAround(read, 500)).toEqual([]);
    const first = { ...loop, iterations: loop.iterations.map((i) => ({ ...i, unread: i.number > 1 })) };
    expect(unreadAround(first, 1)).toEqual([[1, 39]]);
    const ends = {
      ...loop,
      iterations: loop.iterations.map((i) => ({ ...i, unread: i.number < COUNT - 1 })),
    };
    expect(unreadAround(ends, COUNT)).toEqual([]);
    expect(unreadAround(ends, COUNT, true)).toEqual([
      [960, 38],
      [0, 1],
    ]);
  });
});

test("a short run is read whole", async () => {
  const { runOutline } = await import("../../ipc/client").then(({ api }) => api());
  replaceBackend({
    ...(await import("../../ipc/client").then(({ api }) => api())),
    runOutline: async (id) =>
      (await runOutline(id)).map((e) =>
        e.type === "workflow.node.completed" && e.iterations_run !== null ? { ...e, iterations_run: 3 } : e,
      ),
  });
  await readPast("long", "completed");
  expect(asked).toEqual(["all"]);
});
