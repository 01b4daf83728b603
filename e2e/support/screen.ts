// Takes pictures of the window from the display itself, as a user would see it. WebKitWebDriver's own
// pictures wait for a composited frame, but without a graphics card the window draws without compositing.
import { closeSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { PNG } from "pngjs";
import type { Browser, Point } from "./types";

/** The time from the page's last frame to its pixels on the display, in milliseconds. */
const ON_ITS_WAY = 60;
/** The time after which a screenshot no longer waits for a busy page, in milliseconds. */
const DRAW_TIMEOUT_MS = 2_000;

/**
 * Waits until the page has drawn its pending frame. The wait is limited, because a page may be too busy to
 * draw.
 */
export async function waitForDraw(browser: Browser): Promise<void> {
  await browser.executeAsync((patience: number, done: () => void) => {
    setTimeout(done, patience);
    requestAnimationFrame(() => requestAnimationFrame(() => done()));
  }, DRAW_TIMEOUT_MS);
}

/** Makes `takeScreenshot` and `saveScreenshot` of this browser capture the display in `screen`. */
export function picturesFromDisplay(browser: Browser, screen: string): void {
  const picture = async () => {
    await waitForDraw(browser);
    await sleep(ON_ITS_WAY);
    return PNG.sync.write(pixelsOfDisplay(screen));
  };
  // The type omits the commands of the WebDriver protocol itself.
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

/**
 * An X window dump. It begins with a header of 32-bit words and a table of colours, followed by the rows of pixels.
 */
interface Dump {
  width: number;
  height: number;
  /** The offset of the pixels, and the length of a row, both in bytes. */
  start: number;
  rowBytes: number;
}

const HEADER_BYTES = 100;
const COLOUR_BYTES = 12;
const PIXEL_BYTES = 4;

function dumpOf(header: Buffer): Dump {
  const word = (index: number) => header.readUInt32BE(4 * index);
  return {
    width: word(4),
    height: word(5),
    start: word(0) + word(19) * COLOUR_BYTES,
    rowBytes: word(12),
  };
}

/** Returns the pixels of the display, which are stored as blue, green, red and padding. */
function pixelsOfDisplay(screen: string): PNG {
  const dump = readFileSync(screen);
  const { width, height, start, rowBytes } = dumpOf(dump);
  const png = new PNG({ width, height });
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = start + y * rowBytes + PIXEL_BYTES * x;
      const to = 4 * (y * width + x);
      png.data[to] = dump[from + 2] ?? 0;
      png.data[to + 1] = dump[from + 1] ?? 0;
      png.data[to + 2] = dump[from] ?? 0;
      png.data[to + 3] = 255;
    }
  }
  return png;
}

/** The number of adjacent pixels in a row that are watched. */
const WATCHED = 16;
const WATCH_MS = 1;

/**
 * Starts to watch a few pixels. The returned function stops watching, and returns the times (of `Date.now`)
 * at which they changed.
 */
export function watchPlace(screen: string, place: Point): () => number[] {
  const file = openSync(screen, "r");
  const header = Buffer.alloc(HEADER_BYTES);
  readSync(file, header, 0, HEADER_BYTES, 0);
  const { start, rowBytes } = dumpOf(header);
  const from = start + place.y * rowBytes + PIXEL_BYTES * place.x;
  const look = () => {
    const pixels = Buffer.alloc(WATCHED * PIXEL_BYTES);
    readSync(file, pixels, 0, pixels.length, from);
    return pixels;
  };
  let before = look();
  const changes: number[] = [];
  const timer = setInterval(() => {
    const now = look();
    if (!now.equals(before)) changes.push(Date.now());
    before = now;
  }, WATCH_MS);
  return () => {
    clearInterval(timer);
    closeSync(file);
    return changes;
  };
}
