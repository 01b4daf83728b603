// Turns for drawing in frames: one drawing per frame, and clocks that tick only while visible.
import { act, createElement } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useNow } from "./clock";
import { ANSWER_WINDOW_MS, inOwnFrame, takeTurn } from "./frame-turn";
import { watchPresses } from "./last-press";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

/** Frames that the test starts itself. The time of the page's timeline identifies the current frame. */
let callbacks = new Map<number, FrameRequestCallback>();
let frame = 0;
function nextFrame(): void {
  frame += 16;
  const due = callbacks;
  callbacks = new Map();
  for (const call of due.values()) call(frame);
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  let ids = 0;
  vi.stubGlobal("requestAnimationFrame", (call: FrameRequestCallback) => {
    ids += 1;
    callbacks.set(ids, call);
    return ids;
  });
  vi.stubGlobal("cancelAnimationFrame", (id: number) => callbacks.delete(id));
  Object.defineProperty(document, "timeline", {
    configurable: true,
    value: {
      get currentTime() {
        return frame;
      },
    },
  });
});
afterEach(() => {
  callbacks.clear();
  Reflect.deleteProperty(document, "timeline");
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("what is to be drawn is drawn one after the other", () => {
  const drawn: string[] = [];
  inOwnFrame(() => drawn.push("a"));
  inOwnFrame(() => drawn.push("b"));
  const takeBack = inOwnFrame(() => drawn.push("never"));
  inOwnFrame(() => drawn.push("c"));
  nextFrame();
  expect(drawn).toEqual(["a"]);
  takeBack();
  nextFrame();
  expect(takeTurn()).toBe(false);
  nextFrame();
  expect(drawn).toEqual(["a", "b", "c"]);
  nextFrame();
  expect(takeTurn()).toBe(true);
});

test("the frames behind a key are for its answer", () => {
  // The tests that follow need a last press in the distant past.
  let time = performance.now() - 60_000;
  vi.spyOn(performance, "now").mockImplementation(() => time);
  watchPresses(window);
  window.dispatchEvent(new KeyboardEvent("keydown", { key: "k" }));
  const drawn: string[] = [];
  inOwnFrame(() => drawn.push("a clock"));
  nextFrame();
  expect(drawn).toEqual([]);
  time += ANSWER_WINDOW_MS;
  nextFrame();
  expect(drawn).toEqual(["a clock"]);
  // Continuous typing does not stop a clock.
  inOwnFrame(() => drawn.push("later"));
  for (let i = 0; i < 20; i++) {
    window.dispatchEvent(new KeyboardEvent("keydown", { key: "k" }));
    nextFrame();
  }
  expect(drawn).toEqual(["a clock", "later"]);
  vi.restoreAllMocks();
});

test("a page that knows no frames puts nothing off", () => {
  Reflect.deleteProperty(document, "timeline");
  expect([takeTurn(), takeTurn()]).toEqual([true, true]);
});

const shown = { canvas: [] as number[], panel: [] as number[] };

function Clock({ place, active }: { place: "canvas" | "panel"; active: boolean }) {
  shown[place].push(useNow(place, active));
  return null;
}

test("clocks of one place tick together, those of another in the frame behind", async () => {
  const both = (active: boolean) => [
    createElement(Clock, { key: 1, place: "canvas", active }),
    createElement(Clock, { key: 2, place: "canvas", active }),
    createElement(Clock, { key: 3, place: "panel", active }),
  ];
  const root = createRoot(document.createElement("div"));
  await act(async () => root.render(both(true)));
  const begun = Date.now();
  const ticks = (place: "canvas" | "panel") => new Set(shown[place].filter((time) => time > begun)).size;
  await act(async () => vi.advanceTimersByTime(250));
  expect([ticks("canvas"), ticks("panel")]).toEqual([0, 0]);
  await act(async () => nextFrame());
  expect([ticks("canvas"), ticks("panel")]).toEqual([1, 0]);
  await act(async () => nextFrame());
  expect([ticks("canvas"), ticks("panel")]).toEqual([1, 1]);
  await act(async () => root.render(both(false)));
  expect(vi.getTimerCount()).toBe(0);
  await act(async () => root.unmount());
});
