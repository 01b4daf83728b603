// The memory of the built window while a run goes on for a quarter of an hour: ten loops of 1,000 iterations, one after the
// other in one run, with a pause after each iteration. That is as much as nearly three hours have at one iteration a second.
// `MINUTES=60` makes it another time. Prints what the web process and the program hold, by the minute, and the slope over
// the second half; the figures are this machine's.
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { byId, startRun } from "../support/editor";
import { openFile, writeFlow } from "../support/flows";
import { loopsInARow } from "../support/large-flows";
import { openWindow, type Window } from "../support/window";
import { resident } from "./processes";

const LOOPS = 10;
const PASSES = 1_000;
const MINUTES = Number(process.env.MINUTES ?? 15);
/** After each iteration, in milliseconds. */
const PAUSE = Math.round((MINUTES * 60_000) / (LOOPS * PASSES));
const EVERY = 2_000;
/** What becomes of memory in an hour that may still be called flat, in megabytes. */
const FLAT = 20;

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

interface Sample {
  /** Iterations, and seconds since the start. */
  at: number;
  seconds: number;
  web: Megabytes;
  program: Megabytes;
}

type Megabytes = ReturnType<typeof resident>;

/** What `y` grows by for each `x`, by least squares. */
function slope(points: readonly { x: number; y: number }[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(points.map((point) => point.x));
  const y = mean(points.map((point) => point.y));
  const over = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0);
  const under = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  return under === 0 ? Number.NaN : over / under;
}

const flow = loopsInARow({
  count: LOOPS,
  passes: PASSES,
  steps: ["first", "second"],
  template: "{{ input }}",
  text: "A text of some words that is carried from pass to pass.",
  data: { delay: { type: "fixed", interval: `PT${(PAUSE / 1000).toFixed(3)}S` } },
});

/**
 * Of one process: what it held each minute, and its slope over the second half by iterations and by time. Of all that it holds, and
 * of its own: what of the libraries' files is in memory changes with what else the machine does.
 */
function lines(name: "web" | "program", of: keyof Megabytes, samples: readonly Sample[]): string[] {
  // The last was taken when the run had ended, and gives back what it held.
  const half = samples.slice(Math.floor(samples.length / 2), -1);
  const each = (x: (sample: Sample) => number) => slope(half.map((one) => ({ x: x(one), y: one[name][of] })));
  const perHour = each((one) => one.seconds / 3600);
  const minutes = samples.filter((one, i) => {
    const before = samples[i - 1];
    return (
      !before || Math.floor(one.seconds / 60) > Math.floor(before.seconds / 60) || i === samples.length - 1
    );
  });
  return [
    `${name}, ${of}: ${minutes.map((one) => one[name][of].toFixed(0)).join(" ")} MB`,
    `  second half: ${each((one) => one.at / 1000).toFixed(2)} MB per 1,000 iterations, ${perHour.toFixed(1)} MB an hour (${Math.abs(perHour) <= FLAT ? "flat" : "not flat"})`,
  ];
}

test(`memory over ${LOOPS * PASSES} iterations`, { timeout: (MINUTES + 10) * 90_000 }, async () => {
  const { browser } = window;
  await openFile(window, writeFlow(window, "hour.flow.json", flow));
  const samples: Sample[] = [];
  const load = loadavg()[0]?.toFixed(1);
  await startRun(browser);
  const begun = performance.now();
  const passes = () =>
    browser.execute(() =>
      [...document.querySelectorAll('[data-testid^="loop-badge-"]')]
        .map((badge) => Number(/\d+/.exec(badge.textContent ?? "")?.[0] ?? 0))
        .reduce((sum, count) => sum + count, 0),
    );
  for (;;) {
    samples.push({
      at: await passes(),
      seconds: (performance.now() - begun) / 1000,
      web: resident(window.folder, "web"),
      program: resident(window.folder, "program"),
    });
    const status = await browser.$(byId("run-status")).getText();
    if (status !== "running") {
      expect(status).toBe("done");
      break;
    }
    await sleep(EVERY);
  }
  console.log(
    [
      `${samples.at(-1)?.at} iterations in ${samples.at(-1)?.seconds.toFixed(0)} s, ${samples.length} samples; load ${load} at the start, ${loadavg()[0]?.toFixed(1)} at the end`,
      ...(["web", "program"] as const).flatMap((name) =>
        (["all", "own"] as const).flatMap((of) => lines(name, of, samples)),
      ),
    ].join("\n"),
  );
  expect(samples.at(-1)?.at).toBe(LOOPS * PASSES);
});
