// A moving camera counts as being at its destination, however long the first frame takes.
import type { ReactFlowState } from "@xyflow/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { cameraMoves } from "./camera-moves";

const FRAME_MS = 20;
const before: [number, number, number] = [36, 119, 0.57];
const camera = { x: 48, y: -157, zoom: 0.85 };
let frames: FrameRequestCallback[] = [];

/** Draws `count` frames, each of which takes `FRAME_MS`. */
function draw(count: number): void {
  for (let i = 0; i < count; i++) {
    vi.advanceTimersByTime(FRAME_MS);
    for (const frame of frames.splice(0)) frame(performance.now());
  }
}

beforeEach(() => {
  frames = [];
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  vi.stubGlobal("requestAnimationFrame", (frame: FrameRequestCallback) => frames.push(frame));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Creates a view at `before`. Its moves end when `arrive` is called. */
function view() {
  let arrive = () => {};
  const setViewport = () =>
    new Promise<boolean>((done) => {
      arrive = () => done(true);
    });
  const state = { transform: before } as ReactFlowState;
  const moves = cameraMoves({ setViewport }, { getState: () => state });
  return { ...moves, arrive: () => arrive() };
}

test("a move leads where it goes, also where no frame comes for longer than it takes", () => {
  const { move, seen } = view();
  void move(camera, 420);
  vi.advanceTimersByTime(2_000);
  draw(2);
  expect(seen().transform).toEqual([48, -157, 0.85]);
});

test("a move that a hand interrupted is forgotten after its time", () => {
  const { move, seen } = view();
  void move(camera, 420);
  draw(30);
  expect(seen().transform).toEqual(before);
});

test("one that has arrived is where it is, and does not end the next", async () => {
  const { move, seen, arrive } = view();
  const first = move(camera, 420);
  arrive();
  await first;
  expect(seen().transform).toEqual(before);
  draw(24);
  void move({ ...camera, x: 0 }, 420);
  draw(3);
  expect(seen().transform).toEqual([0, -157, 0.85]);
});
