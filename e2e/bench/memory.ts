// The memory of the built window over as many iterations as an hour has at one a second: four loops of 900, one after the
// other in one run, as fast as they go. Prints what the web process and the program hold, and the
// slope over the second half; the figures are this machine's.
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { byId, startRun } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { openWindow, type Window } from "../support/window";
import { resident } from "./processes";

const LOOPS = 4;
const PASSES = 900;
const EVERY = 2_000;

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

/** Megabytes per thousand iterations, by least squares. */
function slope(samples: readonly { at: number; megabytes: number }[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(samples.map((s) => s.at));
  const y = mean(samples.map((s) => s.megabytes));
  const over = samples.reduce((sum, s) => sum + (s.at - x) * (s.megabytes - y), 0);
  const under = samples.reduce((sum, s) => sum + (s.at - x) ** 2, 0);
  return under === 0 ? Number.NaN : (over / under) * 1000;
}

const numbers = Array.from({ length: LOOPS }, (_, i) => i + 1);

const flow = {
  name: "An hour",
  settings: { maxIterationsCeiling: PASSES },
  nodes: row(
    ["text", "input", { name: "text", default: "A text of some words that is carried from pass to pass." }],
    ...numbers.flatMap(
      (n): Parameters<typeof row> => [
        [`loop${n}`, "loop", { maxIterations: PASSES }],
        [`first${n}`, "transform", { template: "{{ input }}" }],
        [`second${n}`, "transform", { template: "{{ input }}" }],
        [`exit${n}`, "exit"],
      ],
    ),
    ["out", "output", { name: "result" }],
  ),
  edges: wires(
    ...numbers.flatMap((n) => [
      `${n === 1 ? "text.value" : `exit${n - 1}.output`} -> loop${n}.input`,
      `loop${n}.body -> first${n}.input`,
      `first${n}.output -> second${n}.input`,
      `second${n}.output -> exit${n}.input`,
    ]),
    `exit${LOOPS}.output -> out.value`,
  ),
};

test("memory over 3,600 iterations", { timeout: 420_000 }, async () => {
  const { browser } = window;
  await openFile(window, writeFlow(window, "hour.flow.json", flow));
  const samples: { at: number; web: number; program: number }[] = [];
  const begun = performance.now();
  const load = loadavg()[0]?.toFixed(1);
  await startRun(browser);
  const passes = () =>
    browser.execute(() =>
      [...document.querySelectorAll('[data-testid^="loop-badge-"]')]
        .map((badge) => Number(/\d+/.exec(badge.textContent ?? "")?.[0] ?? 0))
        .reduce((sum, count) => sum + count, 0),
    );
  for (;;) {
    samples.push({
      at: await passes(),
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
  const seconds = (performance.now() - begun) / 1000;
  const half = samples.filter((sample) => sample.at >= (LOOPS * PASSES) / 2);
  const of = (name: "web" | "program") => {
    const line = (sample: (typeof samples)[number] | undefined) =>
      sample?.[name].toFixed(0).padStart(7) ?? "";
    const points = half.map((sample) => ({ at: sample.at, megabytes: sample[name] }));
    return `${name.padEnd(10)}${line(samples[0])}${line(samples[Math.floor(samples.length / 2)])}${line(samples.at(-1))}${slope(points).toFixed(2).padStart(12)}`;
  };
  console.log(
    [
      `${LOOPS * PASSES} iterations in ${seconds.toFixed(0)} s, ${samples.length} samples; load ${load} at the start, ${loadavg()[0]?.toFixed(1)} at the end`,
      "MB resident  begin   half    end  MB per 1,000 iterations in the second half",
      of("web"),
      of("program"),
    ].join("\n"),
  );
  expect(samples.at(-1)?.at).toBe(LOOPS * PASSES);
});
