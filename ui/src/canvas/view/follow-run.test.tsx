// The view follows the running or waiting node and ends at the result, until the user moves it.
import { ReactFlowProvider } from "@xyflow/react";
import { act, useRef } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../../components/testing";
import { useDocument } from "../../document/document";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { foldAll } from "../../runs/fold/reduce";
import {
  completed,
  events,
  failed,
  runCompleted,
  runFailed,
  runStarted,
  started,
} from "../../runs/fold/samples";
import { useRuns } from "../../runs/session/store";
import { type CanvasView, mountCanvasView } from "../../session/canvas-view";
import { useSession } from "../../session/session";
import { useFollowRun } from "./follow-run";

const page = pageForEach();
const ids = ["first", "second", "third"];
const document: FlowDoc = {
  name: "Three",
  nodes: ids.map((id, i) => ({
    id,
    type: id === "third" ? "output" : "llm",
    position: { x: i * 3000, y: 0 },
    data: {},
  })),
  edges: [],
};
const seen = new Set<string>();
const keepInView = vi.fn((nodes: readonly string[]) => {
  seen.clear();
  for (const id of nodes) seen.add(id);
});
let moved: { current: boolean };

function Follower() {
  const ref = useRef(false);
  moved = ref;
  useFollowRun(ref);
  return null;
}

/** Shows the run after these events. */
const show = (...bodies: Parameters<typeof events>[1]) =>
  act(async () => {
    const all = events("r1", [runStarted(), ...bodies]);
    useRuns.setState({ live: { state: foldAll("r1", all), document } as never });
    await vi.advanceTimersByTimeAsync(400);
  });

beforeEach(async () => {
  vi.useFakeTimers();
  seen.clear();
  seen.add("first");
  keepInView.mockClear();
  mountCanvasView({ keepInView, isInView: (id: string) => seen.has(id) } as unknown as CanvasView);
  useDocument.getState().open({ document, path: null, version: null });
  useSession.getState().setLayout("run");
  useRuns.setState({ live: null, past: null });
  await act(async () =>
    page.root.render(
      <ReactFlowProvider>
        <Follower />
      </ReactFlowProvider>,
    ),
  );
  return () => vi.useRealTimers();
});

test("it goes to a node that begins out of view, and stays while that runs", async () => {
  await show(started("first"));
  expect(keepInView).not.toHaveBeenCalled();
  await show(started("first"), completed("first"), started("second"));
  expect(keepInView.mock.calls).toEqual([[["second"]]]);
  await show(started("first"), completed("first"), started("second"), started("third"));
  expect(keepInView).toHaveBeenCalledTimes(1);
});

test("it leaves a view alone that a person moved, until another run begins", async () => {
  await show(started("first"));
  moved.current = true;
  await show(started("first"), completed("first"), started("third"));
  expect(keepInView).not.toHaveBeenCalled();
  await act(async () => {
    const next = events("r2", [runStarted(), started("third")]);
    useRuns.setState({ live: { state: foldAll("r2", next), document } as never });
    await vi.advanceTimersByTimeAsync(400);
  });
  expect(keepInView.mock.calls).toEqual([[["third"]]]);
});

test("while a workflow is edited it follows nothing", async () => {
  await act(async () => useSession.getState().setLayout("edit"));
  await show(started("third"));
  expect(keepInView).not.toHaveBeenCalled();
});

/** Returns the events of a run that reaches its last node too fast for the view to follow. */
const passed = (...ids: string[]) => ids.flatMap((id) => [started(id), completed(id)]);

test("at the end it goes to the result, also where that came too fast to be followed", async () => {
  await show(started("first"));
  await show(...passed("first", "second", "third"), runCompleted());
  expect(keepInView.mock.calls).toEqual([[["third"]]]);
});

test("at the end it goes to what failed", async () => {
  await show(started("first"));
  await show(
    ...passed("first"),
    started("second"),
    failed("second", "a_code"),
    runFailed("failed", "a_code"),
  );
  expect(keepInView.mock.calls).toEqual([[["second"]]]);
});

test("at the end it leaves a view alone that a person moved, and a run of the past at its beginning", async () => {
  await show(started("first"));
  moved.current = true;
  await show(...passed("first", "second", "third"), runCompleted());
  expect(keepInView).not.toHaveBeenCalled();
  await act(async () => {
    const state = foldAll("r3", events("r3", [runStarted(), ...passed(...ids), runCompleted()]));
    useRuns.setState({ live: null, past: { state, document } as never });
    await vi.advanceTimersByTimeAsync(400);
  });
  expect(keepInView).not.toHaveBeenCalled();
});
