// Pointer gestures in a form that the canvas accepts as those of a user.
import { Key } from "webdriverio";
import type { Browser, Point } from "./types";

export type { Point };

/** Returns the middle of an element, in whole client pixels. */
export async function middleOf(browser: Browser, selector: string): Promise<Point> {
  const element = browser.$(selector);
  await element.waitForDisplayed({ timeoutMsg: `${selector} is not on the page` });
  const at = await browser.execute(
    (found) => {
      const box = (found as unknown as Element).getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    },
    await element.getElement(),
  );
  return { x: Math.round(at.x), y: Math.round(at.y) };
}

/** Clicks a point of the window. */
export async function pressAt(browser: Browser, at: Point): Promise<void> {
  await browser
    .action("pointer", { parameters: { pointerType: "mouse" } })
    .move({ ...at, duration: 0 })
    .down()
    .up()
    .perform();
}

/**
 * Presses at `from`, moves to `to` and releases. WebKitWebDriver does not interpolate the moves between two
 * points, and React Flow ignores the first move after a press: hence the two small moves there and back.
 */
export async function drag(browser: Browser, from: Point, to: Point): Promise<void> {
  await dragged(browser, from, to).up().perform();
}

/** Like `drag`, but presses Escape at `to`, and moves the pointer once more before the release. */
export async function dragAndEscape(browser: Browser, from: Point, to: Point): Promise<void> {
  const pointer = dragged(browser, from, to);
  const keys = browser.action("key");
  // Each input source has one action at a time.
  for (let i = 0; i < DRAG_ACTIONS; i += 1) keys.pause(0);
  keys.down(Key.Escape).up(Key.Escape);
  pointer
    .pause(50)
    .pause(50)
    .move({ x: to.x + 9, y: to.y + 9, duration: 50 })
    .pause(50)
    .up();
  await browser.actions([pointer, keys]);
}

/** The keys that are held down during a drag. */
export type DragWith = readonly string[];

/** Like `drag`, with keys held down from before the press until after the release. */
export async function dragHolding(
  browser: Browser,
  from: Point,
  to: Point,
  holding: DragWith,
): Promise<void> {
  const pointer = mouse(browser);
  const keys = browser.action("key");
  // Each input source has one action at a time.
  pointer.move({ ...from, duration: 0 });
  keys.pause(0);
  for (const key of holding) {
    keys.down(key);
    pointer.pause(0);
  }
  dragSteps(pointer.pause(50), from, to).up();
  // All actions of a drag except its first move, the pause before it and the release.
  for (let i = 0; i < DRAG_ACTIONS + 1; i += 1) keys.pause(0);
  for (const key of holding) keys.up(key);
  await browser.actions([pointer, keys]);
}

const DRAG_ACTIONS = 7;

const mouse = (browser: Browser) => browser.action("pointer", { parameters: { pointerType: "mouse" } });

const dragged = (browser: Browser, from: Point, to: Point) =>
  dragSteps(mouse(browser).move({ ...from, duration: 0 }), from, to);

/** Adds the press at `from` and the moves to `to`. */
function dragSteps(pointer: ReturnType<typeof mouse>, from: Point, to: Point) {
  const half = { x: Math.round((from.x + to.x) / 2), y: Math.round((from.y + to.y) / 2) };
  return pointer
    .down()
    .move({ x: from.x + 2, y: from.y + 2, duration: 20 })
    .move({ x: from.x, y: from.y, duration: 20 })
    .move({ ...half, duration: 50 })
    .move({ ...to, duration: 50 })
    .pause(80);
}

/** Returns the middle of a wire as drawn, in client pixels. */
export const middleOfWire = (browser: Browser, id: string): Promise<Point> =>
  browser.execute((edge) => {
    const path = document.querySelector<SVGPathElement>(
      `.react-flow__edge[data-id="${edge}"] .react-flow__edge-path`,
    );
    const viewport = document.querySelector<HTMLElement>(".react-flow__viewport");
    const pane = document.querySelector(".react-flow")?.getBoundingClientRect();
    if (!path || !viewport || !pane) throw new Error(`no wire ${edge}`);
    // The path's own matrix is not used: WebKit omits the zoom from it.
    const { a: zoom, e: left, f: top } = new DOMMatrix(getComputedStyle(viewport).transform);
    const at = path.getPointAtLength(path.getTotalLength() / 2);
    return { x: Math.round(pane.x + left + at.x * zoom), y: Math.round(pane.y + top + at.y * zoom) };
  }, id);
