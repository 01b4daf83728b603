// Growing text: added text goes into the existing node, and only the end of long text is kept.
import { act } from "react";
import { expect, test } from "vitest";
import { StreamingText } from "./StreamingText";
import styles from "./StreamingText.module.css";
import { pageForEach } from "./testing";

const page = pageForEach();

const WORDS = "harbour seldom carries winter letters ";

const shown = (text: string) =>
  act(async () => page.root.render(<StreamingText text={text} label="Output" />));
const body = () => page.host.querySelector(`.${styles.body}`);
const scrollBox = () => page.host.querySelector<HTMLElement>('[role="region"]');
const earlier = () => page.host.querySelector(`.${styles.earlier}`);

/** Simulates the layout of the web view. */
function layOut(box: HTMLElement, height: number): void {
  Object.defineProperty(box, "scrollHeight", { configurable: true, value: height });
  Object.defineProperty(box, "clientHeight", { configurable: true, value: 400 });
}

test("a piece more is added to the text that stands", async () => {
  await shown("one");
  const node = body()?.firstChild;
  await shown("one two");
  expect(body()?.textContent).toBe("one two");
  expect(body()?.firstChild).toBe(node);
});

test("a text that is another takes its place", async () => {
  await shown("one two");
  await shown("three");
  expect(body()?.textContent).toBe("three");
  await shown("");
  expect(body()?.textContent).toBe("");
});

test("of a long text the end is kept, from a whole word on, and that is said", async () => {
  const long = WORDS.repeat(500);
  await shown(long);
  const kept = body()?.textContent ?? "";
  expect(kept.length).toBeLessThan(2_500);
  expect(long.endsWith(kept)).toBe(true);
  expect(kept).toMatch(/^ \w/);
  expect(earlier()).not.toBeNull();
  await shown(`${long}and more`);
  expect(body()?.textContent).toBe(`${kept}and more`);
});

test("a few pixels back are enough to stay there", async () => {
  await shown(WORDS);
  const box = scrollBox();
  if (!box) throw new Error("it cannot be scrolled");
  layOut(box, 2_000);
  await shown(`${WORDS}and`);
  expect(box.scrollTop).toBe(1_600);
  box.scrollTop = 1_595;
  await act(async () => box.dispatchEvent(new Event("scroll")));
  layOut(box, 2_020);
  await shown(`${WORDS}and more`);
  expect(box.scrollTop).toBe(1_595);
  box.scrollTop = 1_620;
  await act(async () => box.dispatchEvent(new Event("scroll")));
  layOut(box, 2_040);
  await shown(`${WORDS}and more words`);
  expect(box.scrollTop).toBe(1_640);
});

test("its beginning is left behind once it is long, but not under the eyes of who has scrolled back", async () => {
  await shown(WORDS);
  expect(earlier()).toBeNull();
  const box = scrollBox();
  if (!box) throw new Error("it cannot be scrolled");
  layOut(box, 2_000);
  box.scrollTop = 100;
  await act(async () => box.dispatchEvent(new Event("scroll")));
  await shown(WORDS.repeat(500));
  expect(body()?.textContent).toBe(WORDS.repeat(500));
  expect(box.scrollTop).toBe(100);
  box.scrollTop = 1_600;
  await act(async () => box.dispatchEvent(new Event("scroll")));
  layOut(box, 2_400);
  await shown(WORDS.repeat(501));
  expect(body()?.textContent?.length).toBeLessThan(2_500);
  expect(box.scrollTop).toBe(2_000);
});
