// Measures the times from the start of the program to the window's first paint and first page, and the memory
// at that time and with a template open. `STARTS=20` changes the number of starts. Prints medians, and
// asserts no times.
import { expect, inject, test } from "vitest";
import { openTemplate } from "../support/editor";
import { openWindow } from "../support/window";
import { begunAt, proportional, resident } from "./processes";

const STARTS = Number(process.env.STARTS ?? 7);
const PARTS = ["program", "web"] as const;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

test(`${STARTS} starts`, { timeout: STARTS * 60_000 }, async () => {
  const found = new Map<string, number[]>();
  const note = (name: string, value: number) => found.set(name, [...(found.get(name) ?? []), value]);
  const memory = (folder: string, when: string) => {
    for (const part of PARTS) {
      note(`${part} ${when}, in proportion, MB`, proportional(folder, part));
      note(`${part} ${when}, its own, MB`, resident(folder, part).own);
    }
  };
  for (let start = 0; start < STARTS; start++) {
    const window = await openWindow({ display: inject("display") });
    const { browser, folder } = window;
    const paint = await browser.execute(() => {
      const entry = performance.getEntriesByName("first-contentful-paint")[0];
      return entry ? performance.timeOrigin + entry.startTime : null;
    });
    if (paint !== null) note("first paint after the start of the program, ms", paint - begunAt(folder));
    // While the page is still loading, this time is 0.
    const loaded = await browser.waitUntil(
      () =>
        browser.execute(() => {
          const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
          return entry && entry.loadEventEnd > 0 && performance.timeOrigin + entry.loadEventEnd;
        }),
      { interval: 50 },
    );
    note("page loaded after the start of the program, ms", Number(loaded) - begunAt(folder));
    await browser.pause(2_000);
    memory(folder, "at the start");
    await openTemplate(browser, "self-refine");
    await browser.pause(2_000);
    memory(folder, "with a template open");
    await window.close();
  }
  console.log([...found].map(([name, values]) => `${name}: ${median(values).toFixed(0)}`).join("\n"));
  expect(found.size).toBeGreaterThan(0);
});
