// Pictures of the window, read from the display itself: what a person would see. WebKitWebDriver's own wait for a
// composited frame, and where no graphics card helps the window draws without compositing.
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { PNG } from "pngjs";
import type { Browser } from "./window";

/** From the page's last frame to its pixels on the display, in milliseconds. */
const ON_ITS_WAY = 60;
/** A page that is busy for longer is pictured as it is, in milliseconds. */
const PATIENCE = 2_000;

/** Waits until the page has drawn what it is about to; a page that is busy is not waited for longer than a while. */
export async function drawn(browser: Browser): Promise<void> {
  await browser.executeAsync((patience: number, done: () => void) => {
    setTimeout(done, patience);
    requestAnimationFrame(() => requestAnimationFrame(() => done()));
  }, PATIENCE);
}

/** Makes `takeScreenshot` and `saveScreenshot` of this browser picture the display in `screen`. */
export function picturesFromDisplay(browser: Browser, screen: string): void {
  const picture = async () => {
    await drawn(browser);
    await sleep(ON_ITS_WAY);
    return PNG.sync.write(pixelsOfDisplay(screen));
  };
  // Its type leaves out the commands of the WebDriver protocol itself.
  const replace = browser.overwriteCommand.bind(browser) as (
    name: string,
    by: (original: unknown, file: string) => Promise<unknown>,
  ) => void;
  replace("takeScreenshot", async () => (await picture()).toString("base64"));
  replace("saveScreenshot", async (_original, file) => {
    const bytes = await picture();
    writeFileSync(file, bytes);
    return bytes;
  });
}

/** Reads an X window dump: a header of 32-bit words, a table of colours, then rows of blue, green, red and padding. */
function pixelsOfDisplay(screen: string): PNG {
  const dump = readFileSync(screen);
  const word = (index: number) => dump.readUInt32BE(4 * index);
  const [header, width, height, rowBytes, colours] = [word(0), word(4), word(5), word(12), word(19)];
  const COLOUR_BYTES = 12;
  const start = header + colours * COLOUR_BYTES;
  const png = new PNG({ width, height });
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = start + y * rowBytes + 4 * x;
      const to = 4 * (y * width + x);
      png.data[to] = dump[from + 2] ?? 0;
      png.data[to + 1] = dump[from + 1] ?? 0;
      png.data[to + 2] = dump[from] ?? 0;
      png.data[to + 3] = 255;
    }
  }
  return png;
}
