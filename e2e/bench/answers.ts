// Measures the response time of the window: from an event to the frame that shows its effect, and to its
// pixels.
import { setTimeout as sleep } from "node:timers/promises";
import { inject } from "vitest";
import type { Point } from "../support/pointer";
import { watchPlace } from "../support/screen";
import type { Window } from "../support/window";
import { worked } from "./processes";

interface Watch {
  answer: { begun: number; took: number } | null;
}

/**
 * The times of one answer, in milliseconds: until the frame, by the page's clock; until the pixels on the
 * display change, if a place was passed; and the processor time that the web process used until then.
 */
export interface Answer {
  took: number;
  seen: number | null;
  worked: number;
}

/**
 * The time for which the page is not queried, in milliseconds, because each query by the driver makes the
 * page work.
 */
const UNDISTURBED = 250;

/**
 * Measures the time from the next key press or click until the frame after the first one in which a visible
 * element matches `selector`, contains `text` if it is set, and nothing matches `absent`. The time starts
 * with the event's own timestamp, so waiting in the queue counts. `place`, in client pixels, is the watched
 * point of the display; nothing else may change it.
 */
export async function answered(
  { browser, folder }: Window,
  shows: { selector: string; text?: string; absent?: string },
  act: () => Promise<unknown>,
  place?: Point,
): Promise<Answer> {
  await browser.execute(({ selector, text, absent }) => {
    const watch = globalThis as unknown as Watch;
    watch.answer = null;
    const isShown = () => {
      if (absent !== undefined && document.querySelector(absent) !== null) return false;
      const found = document.querySelector(selector);
      return found?.checkVisibility() === true && (text === undefined || found.textContent?.includes(text));
    };
    const begin = (event: Event) => {
      // A modifier key alone has no effect, so the measured event is that of the key that follows.
      if (event instanceof KeyboardEvent && ["Control", "Shift", "Alt", "Meta"].includes(event.key)) return;
      for (const type of ["keydown", "click"]) removeEventListener(type, begin, true);
      const began = event.timeStamp;
      const clock = Date.now() - performance.now();
      const look = () => {
        if (!isShown()) requestAnimationFrame(look);
        else
          requestAnimationFrame(() => {
            watch.answer = { begun: clock + began, took: performance.now() - began };
          });
      };
      requestAnimationFrame(look);
    };
    for (const type of ["keydown", "click"]) addEventListener(type, begin, { capture: true });
  }, shows);
  const before = worked(folder, "web");
  const changes = place && watchPlace(inject("screen"), place);
  let changed: number[] = [];
  let answer: Watch["answer"] = null;
  try {
    await act();
    await sleep(UNDISTURBED);
    await browser.waitUntil(
      async () => {
        answer = await browser.execute(() => (globalThis as unknown as Watch).answer);
        return answer !== null;
      },
      { timeout: 20_000, interval: 30, timeoutMsg: `${shows.selector} is not shown` },
    );
  } finally {
    changed = changes?.() ?? [];
  }
  const { begun, took } = answer ?? { begun: Number.NaN, took: Number.NaN };
  const seen = changed.find((at) => at > begun);
  return { took, seen: seen === undefined ? null : seen - begun, worked: worked(folder, "web") - before };
}

/** A summary of times: the median, the 95th percentile and the longest. */
export interface Spread {
  count: number;
  median: number;
  p95: number;
  longest: number;
}

export function spread(times: readonly number[]): Spread {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { count: sorted.length, median: at(0.5), p95: at(0.95), longest: at(1) };
}

/** Formats a table of times in milliseconds; `aim` is the target for the median. */
export function timesTable(
  rows: readonly (readonly [name: string, times: readonly (Answer | number)[], aim: number])[],
) {
  const head = ["", "times", "worked", "median", "p95", "longest", "aim", "", "pixels", "p95", ""];
  const lines = rows.map(([name, times, aim]) => {
    const { count, median, p95, longest } = spread(times.map((t) => (typeof t === "number" ? t : t.took)));
    const work = spread(times.flatMap((t) => (typeof t === "number" ? [] : t.worked)));
    const verdict = median <= aim ? "met" : "missed";
    const cells = [median, p95, longest].map((ms) => ms.toFixed(1));
    const seen = spread(times.flatMap((t) => (typeof t === "number" || t.seen === null ? [] : t.seen)));
    return [
      name,
      String(count),
      work.count > 0 ? work.median.toFixed(0) : "",
      ...cells,
      String(aim),
      verdict,
      ...(seen.count > 0 ? [seen.median.toFixed(1), seen.p95.toFixed(1), `of ${seen.count}`] : []),
    ];
  });
  return [head, ...lines]
    .map(([name = "", ...cells]) => name.padEnd(46) + cells.map((cell) => cell.padStart(9)).join(""))
    .join("\n");
}
