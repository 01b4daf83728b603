// Types that the journeys share.

/** The window, as WebDriver exposes it. */
export type Browser = WebdriverIO.Browser;

/** A point in the window, in client pixels. */
export interface Point {
  x: number;
  y: number;
}
