// Fix until green from the gallery: the flow and its example project are copied to a folder, the program is allowed,
// the tests run in a private copy, and the timeline shows the number of failures, which decreases.
// Then a new Check from the palette, with the fields for its command and its folder.
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  atRest,
  byId,
  click,
  codeField,
  fill,
  openTemplate,
  place,
  runEnds,
  selectNode,
  socket,
  wholeText,
} from "../support/editor";
import { chooseOption } from "../support/list";
import { openWindow, type Window } from "../support/window";

let window: Window;
let examples = "";
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  examples = path.join(window.folder, "examples");
  mkdirSync(examples);
});
afterAll(() => window?.close());

test("the number of failures falls to 0 over the iterations", async () => {
  const { browser } = window;
  // Nothing is copied if the user chooses no folder.
  window.answerDialog("");
  await click(browser, byId(testIds.template("fix-until-green")));
  window.answerDialog(examples);
  await openTemplate(browser, "fix-until-green");
  await window.picture("check-flow");
  await click(browser, byId(testIds.runButton));
  const dialog = byId(testIds.trustDialog);
  await browser.$(dialog).waitForDisplayed({ timeout: 10_000, timeoutMsg: "no question is shown" });
  expect(await wholeText(browser, dialog)).toContain("sh tests/run.sh in workspace:");
  await window.picture("check-trust");
  await click(browser, byId(testIds.trustAllow));
  await browser
    .$(byId("run-status"))
    .waitForDisplayed({ timeout: 10_000, timeoutMsg: "the run does not begin" });
  expect(await runEnds(browser)).toBe("done");
  const iterations = await Promise.all(
    [1, 2, 3].map((k) => wholeText(browser, byId(testIds.timelineSegment(k)))),
  );
  expect(iterations.map((text) => /\d+ failed/.exec(text)?.[0])).toEqual([
    "5 failed",
    "3 failed",
    "0 failed",
  ]);
  expect(await wholeText(browser, byId(testIds.node("tests")))).toContain("passed: 6 tests");
  expect(await wholeText(browser, byId("run-output-changes"))).toContain("functions.sh");
  await window.picture("check-ran");
  const functions = path.join(examples, "fix-until-green/project/functions.sh");
  expect(readFileSync(functions, "utf8")).toContain("Helo, $1!");
});

test("a Check has three outputs, a command and a folder", async () => {
  const { browser } = window;
  await click(browser, byId(testIds.viewEdit));
  await atRest(browser);
  const id = await place(browser, "check", { x: 620, y: 620 });
  for (const handle of ["passed", "failed", "result"]) {
    expect(await browser.$(socket(id, handle, "source")).isExisting(), handle).toBe(true);
  }
  await selectNode(browser, id);
  expect(await browser.$(codeField("args")).getText()).toBe("npm test");
  await fill(browser, codeField("args"), "npm test '--fast now'");
  await browser.keys("Escape");
  await click(browser, `${byId("fold-More")} > summary`);
  await browser.$(codeField("args[1]")).waitForDisplayed({ timeout: 5_000 });
  expect(await browser.$(codeField("args[1]")).getText()).toBe("--fast now");
  window.answerDialog(path.join(examples, "fix-until-green/project"));
  await click(browser, `${byId("field-cwd")} button`);
  await browser.waitUntil(
    async () => (await browser.$(`${byId("field-cwd")} input`).getValue()) === "project",
    { timeout: 5_000, timeoutMsg: "the chosen folder is not shown" },
  );
  await chooseOption(browser, `${byId("field-report")} .select`, "tap");
  await window.picture("check-form");
  await browser.waitUntil(
    async () => (await wholeText(browser, byId(testIds.node(id)))).includes("npm test '--fast now'"),
    { timeout: 5_000, timeoutMsg: "the card does not show the command" },
  );
  expect(await wholeText(browser, byId(testIds.node(id)))).toContain("parses the output as tap");
});
