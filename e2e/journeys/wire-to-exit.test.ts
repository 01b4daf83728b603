// The user's first loop stops where the wire indicates: a wire from a Router's `done` to Exit sets the exit
// condition, in one step, and the run ends with the model's verdict. A loop that runs past its Exit is shown
// too.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  byId,
  choose,
  click,
  deselect,
  fill,
  openEmptyCanvas,
  place,
  runEnds,
  selectNode,
  startRun,
  textOf,
  wholeText,
  wire,
  wires,
} from "../support/editor";
import { type JudgeModel, startJudgeModel } from "../support/judge-model";
import { folderUsing } from "../support/slow-model";
import { openWindow, remove, type Window } from "../support/window";

const REASON = "The draft names every source.";

let model: JudgeModel;
let folder: string;
let window: Window;
const ids = { input: "", loop: "", router: "", transform: "", exit: "", output: "" };
beforeAll(async () => {
  model = await startJudgeModel([
    { branch: "continue", reason: "A source is missing." },
    { branch: "done", reason: REASON },
  ]);
  folder = folderUsing(model);
  window = await openWindow({ display: inject("display"), folder });
});
afterAll(async () => {
  await window?.close();
  model?.stop();
  remove(folder);
});

const loopSays = () => wholeText(window.browser, byId(testIds.node(ids.loop)));

/** Waits until the Loop's card describes its exit condition with this text. */
async function loopEndsBy(words: string): Promise<void> {
  let shown = "";
  await window.browser
    .waitUntil(
      async () => {
        shown = await loopSays();
        return shown.toLowerCase().includes(words);
      },
      { timeout: 5_000 },
    )
    .catch(() => expect(shown).toContain(words));
}

const toastSays = (words: string) =>
  window.browser.waitUntil(
    () =>
      window.browser.execute(
        (toast, wanted) =>
          [...document.querySelectorAll(toast)].some((one) => one.textContent?.includes(wanted)),
        byId(testIds.toast),
        words,
      ),
    { timeout: 5_000, timeoutMsg: `no message says “${words}”` },
  );

test("a branch that is wired to Exit sets the exit condition, and undo takes back both", async () => {
  const { browser } = window;
  await openEmptyCanvas(browser);
  ids.input = await place(browser, "input", { x: 310, y: 200 });
  ids.loop = await place(browser, "loop", { x: 560, y: 200 });
  ids.router = await place(browser, "router", { x: 830, y: 200 });
  ids.transform = await place(browser, "transform", { x: 330, y: 480 });
  ids.exit = await place(browser, "exit", { x: 620, y: 500 });
  ids.output = await place(browser, "output", { x: 880, y: 500 });
  await wire(browser, [ids.input, "value"], [ids.loop, "input"]);
  await wire(browser, [ids.loop, "body"], [ids.router, "input"]);
  await wire(browser, [ids.router, "continue"], [ids.transform, "input"]);
  await wire(browser, [ids.transform, "output"], [ids.loop, "feedback"]);
  await wire(browser, [ids.exit, "output"], [ids.output, "value"]);
  await loopEndsBy("max iterations");

  await wire(browser, [ids.router, "done"], [ids.exit, "input"]);
  await toastSays("Stops when “done” is taken");
  await loopEndsBy("evaluator");
  await window.picture("wire-to-exit");

  await click(browser, byId(testIds.undoButton));
  await loopEndsBy("max iterations");
  expect(await wires(browser)).toHaveLength(5);
  await click(browser, byId(testIds.redoButton));
  await loopEndsBy("evaluator");
  expect(await wires(browser)).toHaveLength(6);
});

test("the model is told when to choose a branch, and its reason is read on the card", async () => {
  const { browser } = window;
  await selectNode(browser, ids.router);
  await choose(browser, "Mode", "Model");
  await fill(browser, '[aria-label="Choose done when"]', "every source is named");
  expect(await browser.$(byId("unused-when")).getText()).toContain("not used in this mode");
  await window.picture("router-of-a-model");
  await selectNode(browser, ids.transform);
  await fill(browser, '[data-field="template"] .cm-content', "{{ input }}!");
  await deselect(browser);
  await fill(browser, '[data-testid^="input-field-"]', "go");
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  expect(model.asked).toHaveLength(2);
  expect(model.asked[0]).toContain("every source is named");
  expect(await textOf(browser, '[data-testid^="run-output-"]')).toContain("go!");
  expect(await wholeText(browser, byId(testIds.node(ids.router)))).toContain(`→ done: ${REASON}`);
  expect(await wholeText(browser, byId("exit-reason"))).toBe("Evaluator satisfied");
  await selectNode(browser, ids.router);
  expect(await wholeText(browser, byId("verdict"))).toBe(`→ done${REASON}`);
  expect(await wholeText(browser, byId("output-text"))).toContain("go!");
  await window.picture("verdict");
});

test("a loop that continues although Exit was reached says so, and never looks like one that ended there", async () => {
  const { browser } = window;
  await click(browser, byId(testIds.viewEdit));
  await selectNode(browser, ids.loop);
  await click(browser, byId("exit-mode-max_iterations"));
  await loopEndsBy("max iterations");
  await deselect(browser);
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  const reached = "reached in iteration 1; runs all 5";
  expect(await wholeText(browser, byId(testIds.node(ids.exit)))).toContain(reached);
  expect(await browser.$(byId("timeline-end")).getAttribute("data-tone")).toBe("tone-limit");
  expect(await wholeText(browser, byId("timeline-end"))).toContain(
    "Exit was reached in iteration 1, but the loop runs all 5 iterations.",
  );
  await window.picture("past-exit");
});
