// The memory of the built window during a run of a quarter of an hour: ten loops of 1,000 iterations in
// sequence, with a pause after each iteration. At one iteration a second, that many iterations would take
// nearly three hours. `MINUTES=60` changes the duration. Prints the memory of the web process and the program
// for each minute, and two slopes: one over the second half, and one over the minimum of every few minutes.
// It prints the same for the page's heap after each full collection, which a leak would increase. The figures
// depend on the machine.
import { mkdtempSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { byId, startRun } from "../support/editor";
import { openFile, writeFlow } from "../support/flows";
import { loopsInARow } from "../support/large-flows";
import { openWindow, remove, type Window } from "../support/window";
import { heldIn, LOGGED } from "./collections";
import { resident } from "./processes";

const LOOPS = 10;
const PASSES = 1_000;
const MINUTES = Number(process.env.MINUTES ?? 15);
/** The pause after each iteration, in milliseconds. */
const PAUSE = Math.round((MINUTES * 60_000) / (LOOPS * PASSES));
const EVERY = 2_000;
/** The growth of memory in an hour that still counts as no growth, in megabytes. */
const FLAT = 20;
/**
 * The length of the periods whose minimum is used, in minutes. The amount of garbage varies between two
 * collections; the minimum contains the least garbage.
 */
const LEAST_OF = 5;

const folder = mkdtempSync(path.join(tmpdir(), "loopwright-memory-"));
const log = path.join(folder, "stderr");
let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display"), folder, env: LOGGED, log });
});
afterAll(async () => {
  await window?.close();
  remove(folder);
});

interface Sample {
  /** The number of iterations so far, and the seconds since the start. */
  at: number;
  seconds: number;
  web: Megabytes;
  program: Megabytes;
  /** The size of the page's heap after the last full collection; null before the first. */
  held: number | null;
}

type Megabytes = ReturnType<typeof resident>;

/** Returns the growth of `y` per `x`, by least squares. */
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

/** Returns, for each period of `LEAST_OF` minutes, the sample with the smallest value. */
function least(samples: readonly Sample[], of: (sample: Sample) => number | null): Sample[] {
  const found = new Map<number, Sample>();
  for (const sample of samples) {
    const part = Math.floor(sample.seconds / 60 / LEAST_OF);
    const before = found.get(part);
    if (!before || (of(sample) ?? Number.POSITIVE_INFINITY) < (of(before) ?? Number.POSITIVE_INFINITY))
      found.set(part, sample);
  }
  return [...found.values()];
}

/**
 * Formats one figure: its value each minute, and its slope over the second half by iterations and by time.
 */
function lines(name: string, samples: readonly Sample[], of: (sample: Sample) => number | null): string[] {
  const shown = (sample: Sample) => of(sample)?.toFixed(0) ?? "–";
  // The last sample was taken after the end of the run, when memory was released.
  const half = samples.slice(Math.floor(samples.length / 2), -1);
  const each = (taken: readonly Sample[], x: (sample: Sample) => number) =>
    slope(
      taken.flatMap((one) => {
        const y = of(one);
        return y === null ? [] : [{ x: x(one), y }];
      }),
    );
  const growth = (taken: readonly Sample[]) => {
    const perHour = each(taken, (one) => one.seconds / 3600);
    return `${each(taken, (one) => one.at / 1000).toFixed(2)} MB per 1,000 iterations, ${perHour.toFixed(1)} MB an hour (${Math.abs(perHour) <= FLAT ? "flat" : "not flat"})`;
  };
  const minutes = samples.filter((one, i) => {
    const before = samples[i - 1];
    return (
      !before || Math.floor(one.seconds / 60) > Math.floor(before.seconds / 60) || i === samples.length - 1
    );
  });
  return [
    `${name}: ${minutes.map(shown).join(" ")} MB`,
    `  second half: ${growth(half)}`,
    `  the least of each ${LEAST_OF} minutes, all but the first: ${growth(least(samples.slice(0, -1), of).slice(1))}`,
  ];
}

test(`memory over ${LOOPS * PASSES} iterations`, { timeout: (MINUTES + 10) * 90_000 }, async () => {
  const { browser } = window;
  await openFile(window, writeFlow(window, "hour.flow.json", flow));
  const samples: Sample[] = [];
  const held = heldIn(log);
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
      held: held(),
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
      ...lines("page, held after collecting all", samples, (one) => one.held),
      // The total memory, and the memory that only this process uses. The total includes resident parts of
      // library files, which vary with the other load of the machine.
      ...(["web", "program"] as const).flatMap((name) =>
        (["all", "own"] as const).flatMap((of) => lines(`${name}, ${of}`, samples, (one) => one[name][of])),
      ),
    ].join("\n"),
  );
  expect(samples.at(-1)?.at).toBe(LOOPS * PASSES);
});
