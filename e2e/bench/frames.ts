// Measures frames of the real window: the time between two successive frames during a gesture.
import type { Point } from "../support/pointer";
import type { Browser, Window } from "../support/window";
import { worked } from "./processes";

/**
 * The frames of one gesture, in milliseconds. `over` has the share of frames that took longer than each
 * limit, from 0 to 1.
 */
export interface Frames {
  count: number;
  median: number;
  p95: number;
  longest: number;
  over: { ms: number; share: number }[];
  /** The mean processor time of a frame. */
  worked: number;
}

/**
 * The frame times of 50 and 30 frames a second, plus a millisecond of tolerance for the display's own clock.
 */
const LIMITS = [21, 34];

interface Watch {
  frameTimes: number[];
  frameWatch: boolean;
}

/** Returns measurements of the frames that the page draws during `gesture`. */
export async function frames(window: Window, gesture: () => Promise<void>): Promise<Frames> {
  const { browser, folder } = window;
  const before = worked(folder, "web");
  await browser.execute(() => {
    const watch = globalThis as unknown as Watch;
    const times: number[] = [];
    watch.frameTimes = times;
    watch.frameWatch = true;
    let last: number | null = null;
    const look = () => {
      const now = performance.now();
      if (last !== null) times.push(now - last);
      last = now;
      if (watch.frameWatch) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await gesture();
  const times = await browser.execute(() => {
    const watch = globalThis as unknown as Watch;
    watch.frameWatch = false;
    return watch.frameTimes;
  });
  return summary(times, worked(folder, "web") - before);
}

/**
 * Returns a summary of frame times. `work` is the total processor time of the frames. All times are in
 * milliseconds.
 */
export function summary(times: readonly number[], work: number): Frames {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return {
    count: sorted.length,
    median: at(0.5),
    p95: at(0.95),
    longest: at(1),
    worked: work / Math.max(1, sorted.length),
    over: LIMITS.map((ms) => ({
      ms,
      share: sorted.filter((time) => time > ms).length / Math.max(1, sorted.length),
    })),
  };
}

/** Presses a button at `from` and moves the pointer back and forth, with some 60 moves a second. */
export async function sweep(browser: Browser, from: Point, button: 0 | 1): Promise<void> {
  let gesture = browser
    .action("pointer", { parameters: { pointerType: "mouse" } })
    .move({ ...from, duration: 0 })
    .down({ button });
  for (let step = 1; step <= 90; step++) {
    const x = Math.round(from.x + 140 * Math.sin(step / 8));
    const y = Math.round(from.y + 60 * Math.sin(step / 5));
    gesture = gesture.move({ x, y, duration: 16 });
  }
  // Returns the view to its start, so that the next gesture begins with the same view.
  await gesture
    .move({ ...from, duration: 16 })
    .up({ button })
    .perform();
}

/** Draws a box from `from` that grows up to `size`, shrinks, and grows again, some 60 moves a second. */
export async function drawBox(browser: Browser, from: Point, size: Point): Promise<void> {
  let gesture = browser
    .action("pointer", { parameters: { pointerType: "mouse" } })
    .move({ ...from, duration: 0 })
    .down();
  for (let step = 1; step <= 90; step++) {
    const part = Math.abs(Math.sin((step / 60) * Math.PI));
    const x = Math.round(from.x + size.x * part);
    const y = Math.round(from.y + size.y * part);
    gesture = gesture.move({ x, y, duration: 16 });
  }
  await gesture.up().perform();
}

/**
 * Turns the wheel at `at`, zooming out of the flow and back, some 60 turns a second. The page is not queried
 * meanwhile.
 */
export async function turnWheel(browser: Browser, at: Point): Promise<void> {
  await browser.executeAsync(({ x, y }: Point, done: () => void) => {
    let turns = 0;
    const turn = () => {
      const deltaY = 14 * Math.sign(Math.cos((turns / 90) * 4 * Math.PI));
      document
        .elementFromPoint(x, y)
        ?.dispatchEvent(
          new WheelEvent("wheel", { clientX: x, clientY: y, deltaY, bubbles: true, cancelable: true }),
        );
      turns += 1;
      if (turns < 90) setTimeout(turn, 16);
      else done();
    };
    turn();
  }, at);
}

/**
 * Formats a table of times in milliseconds. `worked` is the web process's processor time, which a busy
 * machine distorts least.
 */
export function table(rows: readonly (readonly [string, Frames])[]): string {
  const head = ["", "frames", "worked", "median", "p95", "longest", ...LIMITS.map((ms) => `> ${ms} ms`)];
  const lines = rows.map(([name, one]) => [
    name,
    String(one.count),
    one.worked.toFixed(1),
    one.median.toFixed(1),
    one.p95.toFixed(1),
    one.longest.toFixed(0),
    ...one.over.map(({ share }) => `${Math.round(share * 100)} %`),
  ]);
  return [head, ...lines]
    .map(([name = "", ...cells]) => name.padEnd(34) + cells.map((cell) => cell.padStart(9)).join(""))
    .join("\n");
}
