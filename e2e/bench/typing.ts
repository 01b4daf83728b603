// `npm run bench:window`: measures the time of a key press in a template of 10,000 characters. Prints the
// times and asserts none.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { atRest, codeField, selectNode } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

test("a key in a template of 10,000 characters", async () => {
  const { browser } = window;
  const file = writeFlow(window, "letters.loop", {
    name: "Letters",
    nodes: row(
      ["who", "input", { label: "Who", name: "who", default: "Ada" }],
      ["draft", "transform", { label: "Draft", template: "Dear {{ input }}" }],
      ["letter", "output", { label: "Letter", name: "letter" }],
    ),
    edges: wires("who.value -> draft.input", "draft.output -> letter.value"),
  });
  await openFile(window, file);
  await atRest(browser);
  await selectNode(browser, "draft");
  const field = codeField("template");
  await browser.$(field).waitForDisplayed();
  const took = await browser.execute(async (found) => {
    const content = document.querySelector<HTMLElement>(found);
    if (content === null) throw new Error("no editor");
    content.focus();
    const paragraph = "Write it plainly, and keep {{ who }} as it is.\n";
    document.execCommand("insertText", false, paragraph.repeat(Math.ceil(10_000 / paragraph.length)));
    await new Promise((done) => setTimeout(done, 1500));
    const times: number[] = [];
    for (let i = 0; i < 40; i += 1) {
      const begin = performance.now();
      document.execCommand("insertText", false, "x");
      // The page's work for a key ends with its tasks. Layout is forced, so that it counts.
      void content.offsetHeight;
      await new Promise((done) => setTimeout(done, 0));
      times.push(performance.now() - begin);
      await new Promise((done) => setTimeout(done, 30));
    }
    return times.sort((a, b) => a - b);
  }, field);
  expect(took).toHaveLength(40);
  const at = (share: number) => (took[Math.floor(took.length * share)] ?? 0).toFixed(1);
  console.log(`A key in 10,000 characters: median ${at(0.5)} ms, one in ten more than ${at(0.9)} ms`);
});
