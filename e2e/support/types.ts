// What journeys speak of.

/** The window, as WebDriver gives it. */
export type Browser = WebdriverIO.Browser;

/** A place in the window, in client pixels. */
export interface Point {
  x: number;
  y: number;
}
