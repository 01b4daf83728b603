// Agentic Search over the sample collection: it searches, judges and searches again until its judge is
// satisfied.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  byId,
  choose,
  fill,
  openTemplate,
  outputOf,
  runEnds,
  selectNode,
  startRun,
  textOf,
} from "../support/editor";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

test("a question that needs two searches is answered in two iterations", async () => {
  const { browser } = window;
  await openTemplate(browser, "agentic-search");
  const question = "In which town was the engineer who built the Harrow Light born?";
  await fill(browser, byId(testIds.inputField("question")), question);
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");

  const badge = await textOf(browser, byId(testIds.loopBadge("research")));
  const [, count] = /^Iteration (\d) \/ 5$/.exec(badge) ?? [];
  expect(Number(count), badge).toBeGreaterThanOrEqual(2);
  expect(Number(count), badge).toBeLessThan(5);
  await browser.waitUntil(
    async () => (await textOf(browser, byId("exit-reason"))) === "Evaluator satisfied",
    {
      timeoutMsg: "the timeline does not say that the judge ended the loop",
    },
  );
  const answer = await textOf(browser, byId("run-output-answer"));
  expect(answer).toContain("Dunmarrow");
  expect(answer).toContain("Sources:");
});

test("every search can be looked at afterwards", async () => {
  const { browser } = window;
  await selectNode(browser, "plan");
  await choose(browser, "How the output is shown", "Plain");
  const first = await outputOf(browser, 1);
  const second = await outputOf(browser, 2);
  expect(first).toContain("Harrow Light");
  expect(second).not.toBe(first);
  await window.picture("agentic-search");
});
