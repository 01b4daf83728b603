// Measures the time until the difference of two long outputs is shown, for several lengths; a tenth of their
// lines differ. Prints the times and asserts none, because they depend on the machine.
import { loadavg } from "node:os";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { byId, choose, runEnds, selectNode, startRun } from "../support/editor";
import { openFile, writeFlow } from "../support/flows";
import { loopsInARow } from "../support/large-flows";
import { openWindow, type Window } from "../support/window";
import { type Answer, answered, timesTable } from "./answers";

/** The lengths of the compared outputs, in characters. */
const LENGTHS = [6_000, 60_000, 200_000, 1_500_000];
const TIMES = 12;
/** The target for the response to a click, in milliseconds. */
const AIM = 200;

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

const rows: [string, Answer[], number][] = [];

test.each(LENGTHS)(
  "the difference of two outputs of %i characters",
  async (length) => {
    const { browser } = window;
    const line = (i: number) => `Line ${i} says that yeast eats the sugars and lets out a gas.\n`;
    const text = Array.from({ length: Math.ceil(length / line(1000).length) }, (_, i) => line(i)).join("");
    const flow = loopsInARow({
      count: 1,
      passes: 2,
      steps: ["step"],
      template: '{{ input | replace(from="3 says", to="33 says") }}',
      text,
    });
    await openFile(window, writeFlow(window, `long-${length}.flow.json`, flow));
    await startRun(browser);
    expect(await runEnds(browser)).toBe("done");
    await selectNode(browser, "step1");
    const times: Answer[] = [];
    for (let i = 0; i < TIMES; i += 1) {
      await choose(browser, "How the output is shown", "Plain");
      await browser.$(byId("output-text")).waitForExist();
      times.push(
        await answered(window, { selector: '[aria-label="Inspector"] .text-ok', text: "+" }, () =>
          choose(browser, "How the output is shown", i % 2 === 0 ? "Diff with previous" : "Compare to first"),
        ),
      );
    }
    rows.push([`${length} characters`, times, AIM]);
  },
  300_000,
);

afterAll(() => console.log(`Load ${loadavg()[0]?.toFixed(1)}\n${timesTable(rows)}`));
