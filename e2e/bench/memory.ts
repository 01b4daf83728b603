// The memory of the built window while a run is under way for a quarter of an hour: ten loops of 1,000 iterations, one after the
// other in one run, with a pause after each iteration. That is as much as nearly three hours have at one iteration a second.
// `MINUTES=60` makes it another time. Prints what the web process and the program have in memory, by the minute, and the slope
// over the second half and over the least of each few minutes; and the same of what the page's heap held whenever all of it
// had been collected, which is what a leak would make grow. The figures are this machine's.
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
/** After each iteration, in milliseconds. */
const PAUSE = Math.round((MINUTES * 60_000) / (LOOPS * PASSES));
const EVERY = 2_000;
/** What becomes of memory in an hour that may still be called flat, in megabytes. */
const FLAT = 20;
/** Between two collections garbage comes and goes: what stays is the least of so many minutes. */
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
  /** Iterations, and seconds since the start. */
  at: number;
  seconds: number;
  web: Megabytes;
  program: Megabytes;
  /** What the page's heap held after the last collection of all of it; null before the first. */
  held: number | null;
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

/** The sample of each few minutes with the least. */
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

/** One figure: what it was each minute, and its slope over the second half by iterations and by time. */
function lines(name: string, samples: readonly Sample[], of: (sample: Sample) => number | null): string[] {
  const shown = (sample: Sample) => of(sample)?.toFixed(0) ?? "–";
  // The last was taken when the run had ended, and gives back what it held.
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
      // Of all that is in memory, and of the process's own: what of the libraries' files is there changes with what else
      // the machine does.
      ...(["web", "program"] as const).flatMap((name) =>
        (["all", "own"] as const).flatMap((of) => lines(`${name}, ${of}`, samples, (one) => one[name][of])),
      ),
    ].join("\n"),
  );
  expect(samples.at(-1)?.at).toBe(LOOPS * PASSES);
});
