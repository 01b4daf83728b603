// The fold runs once per frame, and every loop count gets its own frame.
// @vitest-environment node
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../ipc/generated/bindings";
import { ANSWER_WINDOW_MS } from "../../session/frame-turn";
import { DWELL_MS, frames, MAX_STREAM_MS, MAX_WAITING_COUNTS, STREAM_MS } from "./frames";
import { emptyRun, foldEvents } from "./reduce";
import {
  completed,
  events,
  iteration,
  iterationDone,
  refine,
  runStarted,
  started,
  streamed,
} from "./samples";

/** Frames controlled by the test: each call of `next` is one paint. */
function clock(frameMs = 1000) {
  const waiting: (() => void)[] = [];
  let time = 0;
  return {
    now: () => time,
    schedule: (callback: () => void) => void waiting.push(callback),
    next(ms = frameMs) {
      time += ms;
      for (const callback of waiting.splice(0)) callback();
      return waiting.length > 0;
    },
  };
}

function play(all: RunEvent[], frameMs?: number) {
  const time = clock(frameMs);
  let state = emptyRun("r1");
  const batches: number[] = [];
  const sink = frames(
    (some) => {
      batches.push(some.length);
      state = foldEvents(state, some);
    },
    time.schedule,
    time.now,
  );
  for (const event of all) sink.push(event);
  const painted: string[] = [];
  let more = true;
  while (more) {
    more = time.next();
    const loop = state.root.steps.refine?.loop;
    if (loop) painted.push(`${loop.current}/${loop.total} ${state.status} ${loop.exitReason ?? "-"}`);
  }
  return { painted, batches, state: () => state };
}

describe("frames", () => {
  test("a thousand tokens in a frame are one fold", () => {
    const tokens = Array.from({ length: 1000 }, () => streamed("a", "x"));
    const { batches, state } = play(events("r1", [runStarted(), started("a"), ...tokens]));
    expect(batches).toEqual([1002]);
    expect(state().root.steps.a?.text).toHaveLength(1000);
  });

  test("streamed text waits a few frames, and whatever else happens takes it along", () => {
    const time = clock(10);
    const batches: string[] = [];
    const sink = frames((some) => batches.push(some.map((e) => e.type).join(" ")), time.schedule, time.now);
    const [begin, node, end, ...tokens] = events("r1", [
      runStarted(),
      started("a"),
      completed("a"),
      ...Array.from({ length: 30 }, () => streamed("a", "x")),
    ]) as [RunEvent, RunEvent, RunEvent, ...RunEvent[]];
    sink.push(begin);
    sink.push(node);
    for (const token of tokens) {
      sink.push(token);
      time.next();
    }
    // Thirty frames of 10 ms: the first takes all waiting text, then every fifth one does.
    expect(batches.length).toBe(Math.ceil((30 * 10) / STREAM_MS));
    sink.push(tokens[0] as RunEvent);
    sink.push(end);
    time.next();
    expect(batches.at(-1)).toMatch(/streaming workflow.node.completed$/);
  });

  test.each([
    ["quick", 16, 16, STREAM_MS],
    ["slow", 70, 16, 210],
    ["very slow", 300, 16, MAX_STREAM_MS],
  ])("text comes as often as a %s machine can draw and still answer", (_, drawingMs, idleMs, every) => {
    const time = clock(0);
    const at: number[] = [];
    const sink = frames((_some) => at.push(time.now()), time.schedule, time.now);
    const [begin, token] = events("r1", [runStarted(), streamed("a", "x")]) as [RunEvent, RunEvent];
    sink.push(begin);
    let drawn = 0;
    while (time.now() < 4000) {
      sink.push(token);
      time.next(at.length > drawn ? drawingMs : idleMs);
      drawn = at.length - (at.at(-1) === time.now() ? 1 : 0);
    }
    const gaps = at.slice(1).map((t, i) => t - (at[i] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(every);
    expect(Math.max(...gaps)).toBeLessThan(every + drawingMs + idleMs);
  });

  test("text waits for the answer to a key, though not for somebody who types on and on", () => {
    const time = clock(0);
    const at: number[] = [];
    let pressed = 1000;
    const sink = frames(
      () => at.push(time.now()),
      time.schedule,
      time.now,
      () => pressed,
    );
    const [begin, token] = events("r1", [runStarted(), streamed("a", "x")]) as [RunEvent, RunEvent];
    sink.push(begin);
    const until = (end: number) => {
      while (time.now() < end) {
        sink.push(token);
        time.next(10);
        if (time.now() >= 2000 && time.now() < 4000) pressed = time.now();
      }
    };
    until(1000 + ANSWER_WINDOW_MS);
    expect(at.filter((t) => t > 1000 && t < 1000 + ANSWER_WINDOW_MS)).toEqual([]);
    until(4000);
    const typing = at.filter((t) => t > 2000 + ANSWER_WINDOW_MS);
    const gaps = typing.slice(1).map((t, i) => t - (typing[i] ?? 0));
    expect(Math.max(...gaps)).toBe(MAX_STREAM_MS);
    until(4000 + 2 * ANSWER_WINDOW_MS);
    expect(at.some((t) => t > 4000)).toBe(true);
  });

  test("text leaves a frame to what else is drawn in it, and whatever else happens does not", () => {
    const time = clock(1000);
    const seen: string[] = [];
    let free = false;
    const sink = frames(
      (some) => seen.push(...some.map((e) => e.type)),
      time.schedule,
      time.now,
      () => Number.NEGATIVE_INFINITY,
      () => free,
    );
    const [begin, token] = events("r1", [runStarted(), streamed("a", "x")]) as [RunEvent, RunEvent];
    sink.push(begin);
    time.next();
    expect(seen).toEqual(["workflow.started"]);
    sink.push(token);
    time.next();
    expect(seen).toHaveLength(1);
    free = true;
    time.next();
    expect(seen).toEqual(["workflow.started", "workflow.node.streaming"]);
  });

  test("every count is painted, although the whole run came within one frame", () => {
    const { painted } = play(events("r1", refine()));
    expect([...new Set(painted)]).toEqual([
      "1/3 running -",
      "2/3 running -",
      "3/3 running -",
      "3/3 completed max_iterations",
    ]);
  });

  test("a count stays long enough for an eye", () => {
    const { painted } = play(events("r1", refine()), 20);
    const frames = (count: string) => painted.filter((p) => p.startsWith(`${count}/3 running`)).length;
    expect([1, 2, 3].map((k) => frames(String(k)) * 20)).toEqual([DWELL_MS, DWELL_MS, DWELL_MS]);
    expect(painted.at(-1)).toBe("3/3 completed max_iterations");
  });

  test("a run of very fast iterations is caught up with", () => {
    const many = Array.from({ length: 500 }, (_, i) => [
      iteration("refine", i, 500),
      iterationDone("refine", i),
    ]);
    const { painted } = play(events("r1", [runStarted(), started("refine", 500), ...many.flat()]));
    expect(painted.at(-1)).toBe("500/500 running -");
    expect(painted.length).toBeLessThanOrEqual(MAX_WAITING_COUNTS + 2);
  });

  test("flush hands over everything at once", () => {
    const time = clock();
    let seen = 0;
    const sink = frames((some) => {
      seen += some.length;
    }, time.schedule);
    for (const event of events("r1", refine())) sink.push(event);
    sink.flush();
    expect(seen).toBe(refine().length);
    time.next();
    expect(seen).toBe(refine().length);
  });
});
