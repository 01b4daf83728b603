// The painted pixels of an element. WebKitWebDriver's own pictures of single elements are empty for anything
// inside a transformed canvas, so this module crops the picture of the page.
import { createHash } from "node:crypto";
import { PNG } from "pngjs";
import type { Browser } from "./window";

/** Returns a digest of the element's pixels; throws if only one colour was painted. */
export async function pixelsOf(browser: Browser, selector: string): Promise<string> {
  const box = await browser.execute((wanted) => {
    const { x, y, width, height } = document.querySelector(wanted)?.getBoundingClientRect() ?? new DOMRect();
    return { x, y, width, height, scale: window.devicePixelRatio };
  }, selector);
  const page = PNG.sync.read(Buffer.from(await browser.takeScreenshot(), "base64"));
  const at = (length: number) => Math.floor(length * box.scale);
  const cut = new PNG({ width: at(box.width), height: at(box.height) });
  PNG.bitblt(page, cut, at(box.x), at(box.y), cut.width, cut.height, 0, 0);
  const colours = new Set<number>();
  for (let i = 0; i < cut.data.length; i += 4) colours.add(cut.data.readUInt32BE(i));
  if (colours.size < 2) throw new Error(`nothing is painted where ${selector} is`);
  return createHash("sha256").update(cut.data).digest("hex");
}
