// The system's preferences for less motion and more contrast, from GTK's settings. Each is tested in its own
// window, which is compared with a window without it. No release of WebKitGTK reports forced colours, so the
// test activates the rules for them directly.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { failing, publish } from "../readme/scenes";
import { faintWords } from "../support/contrast";
import {
  byId,
  click,
  closeApproval,
  deselect,
  openTemplate,
  runEnds,
  selectNode,
  startRun,
} from "../support/editor";
import { openFile, writeFlow } from "../support/flows";
import { type Browser, openWindow, remove, type Window } from "../support/window";

/** Creates a folder for `openWindow` with these GTK settings. */
function folderWith(settings: Record<string, string>): string {
  const folder = mkdtempSync(path.join(tmpdir(), "loopwright-e2e-"));
  const config = path.join(folder, "config/gtk-3.0");
  mkdirSync(config, { recursive: true });
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(path.join(config, "settings.ini"), `[Settings]\n${lines.join("")}`);
  return folder;
}

/**
 * Opens a window with these settings for the tests of a group. Returns a function that returns the window.
 */
function windowWith(settings: Record<string, string>): () => Window {
  let window: Window | undefined;
  let folder = "";
  beforeAll(async () => {
    folder = folderWith(settings);
    window = await openWindow({ display: inject("display"), folder });
    await window.browser.$(byId(testIds.template("self-refine"))).waitForDisplayed({ timeout: 20_000 });
  });
  afterAll(async () => {
    await window?.close();
    remove(folder);
  });
  return () => {
    if (!window) throw new Error("the window did not open");
    return window;
  };
}

const matches = (browser: Browser, query: string): Promise<boolean> =>
  browser.execute((asked) => matchMedia(asked).matches, query);

async function wear(browser: Browser, theme: string): Promise<void> {
  await browser.execute((wanted) => {
    document.documentElement.dataset.theme = wanted;
  }, theme);
  await browser.takeScreenshot();
}

/**
 * Runs the template. Returns the maximum number of animations in a frame, and the number of distinct zooms of
 * the view.
 */
async function motionOfRun(browser: Browser): Promise<{ animations: number; zooms: number }> {
  await openTemplate(browser, "self-refine");
  await browser.execute(() => {
    const seen = { animations: 0, zooms: new Set<string>(), stop: false };
    (globalThis as unknown as { motion: typeof seen }).motion = seen;
    requestAnimationFrame(function look() {
      seen.animations = Math.max(seen.animations, document.getAnimations().length);
      const viewport = document.querySelector(".react-flow__viewport");
      if (viewport) seen.zooms.add(String(new DOMMatrix(getComputedStyle(viewport).transform).a));
      if (!seen.stop) requestAnimationFrame(look);
    });
  });
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  return browser.execute(() => {
    const { motion } = globalThis as unknown as {
      motion: { animations: number; zooms: Set<string>; stop: boolean };
    };
    motion.stop = true;
    return { animations: motion.animations, zooms: motion.zooms.size };
  });
}

/**
 * Returns the elements of the page that move: those with an animation, or with a transition that takes time.
 */
const moving = (browser: Browser): Promise<string[]> =>
  browser.execute(() => {
    const takesTime = (times: string) => times.split(", ").some((time) => Number.parseFloat(time) > 0);
    return [...document.querySelectorAll("*")]
      .flatMap((element) => [undefined, "::before", "::after"].map((part) => ({ element, part })))
      .filter(({ element, part }) => {
        const style = getComputedStyle(element, part);
        const isAnimated = style.animationName !== "none" && takesTime(style.animationDuration);
        return isAnimated || (style.transitionProperty !== "none" && takesTime(style.transitionDuration));
      })
      .map(({ element, part }) => `${element.tagName} ${element.getAttribute("class")} ${part ?? ""}`);
  });

describe("less motion", () => {
  const still = windowWith({ "gtk-enable-animations": "0" });

  test("the web view reports it, and nothing moves during a run", async () => {
    const { browser } = still();
    expect(await matches(browser, "(prefers-reduced-motion: reduce)")).toBe(true);
    const { animations, zooms } = await motionOfRun(browser);
    expect(animations).toBe(0);
    // The first zoom belongs to the view of the workflow, the second to that of its run. There is none in
    // between.
    expect(zooms).toBeLessThanOrEqual(2);
    expect(await moving(browser)).toEqual([]);
  });
});

describe("with the default settings of the system", () => {
  const usual = windowWith({});

  test("a run has animations", async () => {
    const { browser } = usual();
    expect(await matches(browser, "(prefers-reduced-motion: no-preference)")).toBe(true);
    expect(await matches(browser, "(prefers-contrast: no-preference)")).toBe(true);
    expect((await motionOfRun(browser)).animations).toBeGreaterThan(0);
    expect((await moving(browser)).length).toBeGreaterThan(10);
  });

  test("the setting for reduced motion has the same effect as that of the system", async () => {
    const { browser } = usual();
    await browser.execute(() => {
      document.documentElement.dataset.motion = "reduced";
    });
    expect(await moving(browser)).toEqual([]);
    await browser.execute(() => {
      delete document.documentElement.dataset.motion;
    });
  });

  test("text on cards reaches contrast level AA, and some of it not AAA", async () => {
    const { browser } = usual();
    const { measured, faint } = await faintWords(browser, ".react-flow__node");
    expect(measured).toBeGreaterThan(30);
    expect(faint).toEqual([]);
    expect((await faintWords(browser, ".react-flow__node", 7, 4.5)).faint).not.toEqual([]);
  });
});

describe.each(["HighContrast", "HighContrastInverse"])("more contrast, by the theme %s", (gtkTheme) => {
  const strong = windowWith({ "gtk-theme-name": gtkTheme });

  /** Expects that the text on the visible cards has the contrast of level AAA (WCAG) in both themes. */
  async function isStrong(browser: Browser, scene: string): Promise<void> {
    const found: Record<string, string[]> = {};
    for (const theme of ["dark", "light"]) {
      await wear(browser, theme);
      const { measured, faint } = await faintWords(browser, ".react-flow__node", 7, 4.5);
      expect(measured, scene).toBeGreaterThan(10);
      if (faint.length > 0) found[`${scene}, ${theme}`] = faint;
    }
    expect(found).toEqual({});
  }

  test("the web view reports it", async () => {
    expect(await matches(strong().browser, "(prefers-contrast: more)")).toBe(true);
  });

  test("text on cards reaches contrast level AAA: idle, done and skipped, waiting, failed", async () => {
    const window = strong();
    const { browser } = window;
    await openTemplate(browser, "self-refine");
    await isStrong(browser, "idle");
    await startRun(browser);
    expect(await runEnds(browser)).toBe("done");
    await isStrong(browser, "done and skipped");
    await openFile(window, writeFlow(window, "publish.flow.json", publish));
    await startRun(browser);
    await closeApproval(browser);
    await isStrong(browser, "waiting");
    await click(browser, byId(testIds.approve("ask")));
    await openFile(window, writeFlow(window, "invoice.flow.json", failing));
    await startRun(browser);
    expect(await runEnds(browser)).toBe("failed");
    await isStrong(browser, "failed");
  });
});

describe("forced colours", () => {
  const forced = windowWith({ "gtk-theme-name": "HighContrast" });

  /** Activates the rules for forced colours. Returns their number. */
  const force = (browser: Browser): Promise<number> =>
    browser.execute(() => {
      const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
      const media = rules.filter(
        (rule): rule is CSSMediaRule =>
          rule instanceof CSSMediaRule && /forced-colors/.test(rule.media.mediaText),
      );
      for (const rule of media) rule.media.mediaText = "all";
      return media.length;
    });

  /**
   * Returns, for each card, the style of its edge, its background colour, and the last icon in its header.
   */
  const looksOf = (browser: Browser, ids: readonly string[]) =>
    browser.execute(
      (wanted: readonly string[]) =>
        wanted.map((id) => {
          const card = document.querySelector(`.react-flow__node[data-id="${id}"] > article`);
          if (!card) throw new Error(`there is no card ${id}`);
          const { boxShadow, outlineStyle, backgroundColor } = getComputedStyle(card);
          const mark = card.querySelector("header > [role=img]:last-child");
          return {
            edge: `${boxShadow} ${outlineStyle}`,
            ground: backgroundColor,
            mark: `${mark?.getAttribute("aria-label")} ${mark?.querySelector("svg")?.innerHTML}`,
          };
        }),
      ids,
    );

  test("WebKitGTK knows them and reports none", async () => {
    const { browser } = forced();
    expect(await matches(browser, "(forced-colors: none)")).toBe(true);
    expect(await matches(browser, "(forced-colors: active)")).toBe(false);
  });

  test("with their rules in effect words can be read, and states and edges need no colour", async () => {
    const window = forced();
    const { browser } = window;
    await openFile(window, writeFlow(window, "publish.flow.json", publish));
    expect(await force(browser)).toBeGreaterThan(0);
    await startRun(browser);
    await closeApproval(browser);
    // The whole page: the cards, the bar, the panel and the dock.
    const { measured, faint } = await faintWords(browser, "body");
    expect(measured).toBeGreaterThan(40);
    // The system itself determines the colours of highlights.
    expect(faint.filter((one) => !/action-button.*lead|btn.*primary/.test(one))).toEqual([]);
    const [done, skipped, waiting] = await looksOf(browser, ["title", "cut", "ask"]);
    // An edge separates a card from the canvas, and a mark shows its state.
    for (const card of [done, skipped, waiting])
      expect(card?.edge).toMatch(/rgb\(0, 0, 0\).* 0px 0px 0px [\d.]+px|dashed/);
    expect(new Set([done?.mark, skipped?.mark, waiting?.mark]).size).toBe(3);
    expect(skipped?.edge).toContain("dashed");
    // A selected card has a different edge than before.
    await deselect(browser);
    const [before] = await looksOf(browser, ["title"]);
    await selectNode(browser, "title");
    const [chosen] = await looksOf(browser, ["title"]);
    expect(chosen?.edge).not.toBe(before?.edge);
    await window.picture("forced-colours");
  });

  test("selected, pressed and focused elements have an outline", async () => {
    const { browser } = forced();
    const outlines = await browser.execute(() =>
      [...document.querySelectorAll('[aria-selected="true"], [aria-pressed="true"], [aria-checked="true"]')]
        .filter((element) => element.getClientRects().length > 0 && !element.matches(":focus-visible"))
        .map((element) => getComputedStyle(element).outlineStyle),
    );
    expect(outlines.length).toBeGreaterThan(1);
    expect(new Set(outlines)).toEqual(new Set(["solid"]));
    await browser.keys("Tab");
    // The focus ring of a card surrounds what is drawn.
    const focus = await browser.execute(() => {
      const focused = document.activeElement ?? document.body;
      const { outlineStyle, outlineWidth } = getComputedStyle(
        focused.querySelector(":scope > article") ?? focused,
      );
      return `${outlineWidth} ${outlineStyle}`;
    });
    expect(focus).toBe("2px solid");
  });

  test("wires that feed back are dashed", async () => {
    const { browser } = forced();
    await browser.keys(["Control", "Shift", "h"]);
    await openTemplate(browser, "self-refine");
    const strokes = await browser.execute(() => {
      const of = (selector: string) =>
        [...document.querySelectorAll(selector)].map((wire) => getComputedStyle(wire).strokeDasharray);
      return {
        feedback: of(".react-flow__edge-path[data-feedback]"),
        others: of(".react-flow__edge-path:not([data-feedback])"),
      };
    });
    expect(strokes.feedback.length).toBeGreaterThan(0);
    expect(strokes.feedback).not.toContain("none");
    expect(strokes.others.length).toBeGreaterThan(0);
    expect(new Set(strokes.others)).toEqual(new Set(["none"]));
  });
});
