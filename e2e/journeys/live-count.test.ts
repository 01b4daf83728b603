// While a slow model answers, every count of a running loop is really painted, one after another, and the
// progress indicators move.

import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openTemplate, runEnds, startRun, watchCounts } from "../support/editor";
import { folderUsing, type SlowModel, startSlowModel } from "../support/slow-model";
import { openWindow, remove, type Window } from "../support/window";

let model: SlowModel;
let window: Window;
beforeAll(async () => {
  model = await startSlowModel(120);
  window = await openWindow({ display: inject("display"), folder: folderUsing(model) });
});
afterAll(async () => {
  await window?.close();
  model?.stop();
  if (window) remove(window.folder);
});

test("the badge is painted with 1, then 2, then 3", async () => {
  const { browser } = window;
  await openTemplate(browser, "self-refine");
  await startRun(browser);
  const seen = await watchCounts(browser, "refine", 3);
  expect([...seen.keys()]).toEqual(["Iteration 1 / 3", "Iteration 2 / 3", "Iteration 3 / 3"]);
  expect(new Set(seen.values()).size, "three different pictures").toBe(3);
  expect(await runEnds(browser)).toBe("done");
});

/** The style property of each animation, by the name of its keyframes. */
const LOOKS = { flow: "strokeDashoffset", spin: "transform", pulse: "opacity" } as const;

test("the wire, the mark and the dots of running nodes move, although their own animations are paused", async () => {
  const { browser } = window;
  await startRun(browser);
  const seen = new Map<string, Set<string>>(Object.keys(LOOKS).map((name) => [name, new Set()]));
  const moves = async () => {
    const now = await browser.execute((looks) => {
      const found: { name: string; look: string; state: string }[] = [];
      for (const one of document.getAnimations()) {
        if (!(one instanceof CSSAnimation && one.effect instanceof KeyframeEffect)) continue;
        const property = (looks as Record<string, string>)[one.animationName];
        if (!property || !one.effect.target) continue;
        const style = getComputedStyle(one.effect.target) as unknown as Record<string, string>;
        found.push({ name: one.animationName, look: style[property] ?? "", state: one.playState });
      }
      return found;
    }, LOOKS);
    for (const { name, look } of now) seen.get(name)?.add(look);
    return now.length > 0 && [...seen.values()].every((looks) => looks.size > 1) ? now : false;
  };
  const now = await browser.waitUntil(moves, {
    timeout: 20_000,
    interval: 60,
    timeoutMsg: "one of the animations does not move",
  });
  // If they were not paused, they would be painted together with everything else in a frame.
  expect(new Set((now || []).map((one) => one.state))).toEqual(new Set(["paused"]));
  expect(await runEnds(browser)).toBe("done");
});
