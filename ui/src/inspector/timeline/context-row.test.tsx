// The row of the timeline that shows how full the context is, its warning, and the size of a step's prompt.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../../components/testing";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import { type Backend, replaceBackend } from "../../ipc/client";
import { threeIterations } from "../../ipc/generated/recorded/runs";
import { testBackend } from "../../ipc/testing";
import { foldAll } from "../../runs/fold/reduce";
import {
  type Body,
  calls,
  completed,
  events,
  iteration,
  iterationDone,
  runFailed,
  runStarted,
  started,
} from "../../runs/fold/samples";
import { forgetWindows } from "../../runs/inputs/context-windows";
import { useRuns } from "../../runs/session/store";
import { useChosenIteration } from "../../session/chosen-iteration";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import { RunInspector } from "../run/RunInspector";
import { Timeline } from "./Timeline";

const page = pageForEach();
const { document: flow } = threeIterations.detail;
const byId = (id: string) => page.host.querySelector<HTMLElement>(`[data-testid="${id}"]`);
const textOf = (id: string) => byId(id)?.textContent ?? "";
const row = (number: number) => byId(testIds.segmentContext(number));
const eventually = (check: () => void) =>
  vi.waitFor(async () => {
    await act(() => new Promise((done) => setTimeout(done, 5)));
    check();
  });

const usage = (tokens: number) => ({ ...calls(1), ...(tokens === 0 ? {} : { longest_prompt: tokens }) });

/** Returns the events of iterations with prompts of these sizes. Iteration `running` is in progress. */
function iterations(sizes: readonly number[], running: number | null): Body[] {
  const done = sizes.flatMap((tokens, index) => [
    iteration("refine", index, 5),
    started(`refine[${index + 1}]/draft`),
    completed(`refine[${index + 1}]/draft`, { usage: usage(tokens), model: "openai/gpt-4o" }),
    iterationDone("refine", index, { usage: usage(tokens) }),
  ]);
  return [
    runStarted(),
    started("refine", 5),
    ...done,
    ...(running === null ? [] : [iteration("refine", running - 1, 5), started(`refine[${running}]/draft`)]),
  ];
}

async function show(bodies: Body[], changed: Partial<Backend> = {}): Promise<void> {
  replaceBackend({ ...testBackend(), contextWindow: async () => 128_000, ...changed });
  await useKinds.getState().load();
  const state = foldAll("r1", events("r1", bodies));
  act(() => {
    useDocument.getState().open({ document: flow, path: null, version: null });
    useSession.getState().setLayout("run");
    useRuns.setState({ live: { state, document: flow, flowPath: null, live: true }, past: null });
  });
  await act(async () =>
    page.root.render(
      <>
        <Timeline />
        <RunInspector nodeId="draft" />
      </>,
    ),
  );
}

beforeEach(() => {
  forgetWindows();
  useChosenIteration.setState({ chosen: { refine: 2 } });
});

test("each iteration shows its prompt and its share of the window, the running one an estimate", async () => {
  await show(iterations([12_431, 16_000], 3));
  await eventually(() =>
    expect(row(1)?.querySelector("b")?.style.width).toBe(`${(12_431 / 128_000) * 100}%`),
  );
  expect([1, 2, 3].map((number) => row(number)?.textContent)).toEqual(["12.4k", "16.0k", "~19.6k"]);
  expect(row(1)?.dataset.tip).toContain("gpt-4o: prompt 12,431 of 128,000 tokens (10%)");
  expect(row(3)?.dataset.tip).toContain("prompt about 19,569 of 128,000 tokens (15%), if it grows as before");
  expect(textOf(testIds.timelineSegment(1))).toContain(", prompt 12,431 of 128,000 tokens (10%)");
  expect(byId(testIds.contextWarning)).toBeNull();
});

test("a prompt that will not fit is warned about", async () => {
  await show(iterations([60_000, 95_500], 3));
  await eventually(() =>
    expect(textOf(testIds.contextWarning)).toBe(
      "Iteration 3 will not fit: its prompt will be about 131,000 tokens, and gpt-4o takes 128,000. Reduce what the loop appends (Keep), or choose a model with a larger context.",
    ),
  );
  expect(row(3)?.className).toContain("text-warning");
  expect(row(3)?.querySelector("svg")).not.toBeNull();
  expect(row(2)?.className).not.toContain("text-warning");
  expect(textOf(testIds.timelineSegment(3))).toContain("(102%), will not fit");
  // Once the run is over, nothing is to be expected.
  await show([...iterations([60_000, 95_500], 3), runFailed("cancelled", "cancelled")]);
  expect(byId(testIds.contextWarning)).toBeNull();
  expect(row(3)?.textContent).toBe("");
});

test("without a known window there are only tokens", async () => {
  await show(iterations([60_000, 95_500], 3), { contextWindow: async () => null });
  await eventually(() => expect(row(2)?.textContent).toBe("95.5k"));
  expect(row(2)?.querySelector("b")).toBeNull();
  expect(row(2)?.dataset.tip).toContain("prompt 95,500 tokens");
  expect(byId(testIds.contextWarning)).toBeNull();
  expect(textOf(testIds.promptSize)).toBe("Prompt 95,500 tokens");
});

test("without a prompt of known size there is no row", async () => {
  const asked = vi.fn(async () => 128_000);
  await show(iterations([0, 0], 3), { contextWindow: asked });
  expect(row(1)).toBeNull();
  expect(byId(testIds.promptSize)).toBeNull();
  expect(asked).not.toHaveBeenCalled();
});

test("the inspector shows the prompt of a step, and each model is asked about once", async () => {
  const asked = vi.fn(async () => 128_000);
  await show(iterations([12_431, 16_000], 3), { contextWindow: asked });
  await eventually(() => expect(textOf(testIds.promptSize)).toBe("Prompt 16,000 of 128,000 tokens (13%)"));
  expect(asked.mock.calls).toEqual([["openai/gpt-4o"]]);
});
