// Growing text, scrolled to its end, with a caret after the last letter. The cost of adding a piece depends
// only on the length of the piece, not on that of the text.

import { useLayoutEffect, useRef, useState } from "react";
import { cutFrom } from "../kernels/end-of-text";
import { inOwnFrame } from "../session/frame-turn";
import styles from "./StreamingText.module.css";
import { useFollow } from "./use-follow";

/**
 * The number of characters that are laid out at first. The text is cut to this length again when it exceeds
 * `MAX_CHARACTERS`.
 */
const FIRST_PART_CHARACTERS = 1_600;
const MAX_CHARACTERS = 12_000;
/**
 * The number of characters kept after the user has scrolled back, so that their position in the text is not
 * lost.
 */
const MAX_SCROLLED_CHARACTERS = 60_000;

export function Caret() {
  return <i className={styles.caret} data-caret="" />;
}

/**
 * Shows growing text. With a `label` it can be scrolled, by keyboard too. Without a label only its end is
 * visible.
 */
export function StreamingText({ text, label }: { text: string; label?: string }) {
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const caret = useRef<HTMLElement>(null);
  const [start, setStart] = useState(0);
  const { follow, follows, onScroll } = useFollow(box);
  const isPicture = label === undefined;
  useLayoutEffect(() => {
    const draw = () => {
      if (!box.current || !body.current || !caret.current) return;
      setStart(grow(body.current, text, start, follows() ? MAX_CHARACTERS : MAX_SCROLLED_CHARACTERS));
      place(caret.current, body.current, box.current);
      follow();
    };
    // Text on a card and the text being read are drawn in different frames.
    if (isPicture && body.current?.firstChild) return inOwnFrame(draw);
    draw();
  }, [text, start, isPicture, follow, follows]);
  const scrolled = isPicture ? {} : { onScroll, tabIndex: 0, role: "region", "aria-label": label };
  return (
    <div className={styles.streamingText} ref={box} {...scrolled}>
      {start > 0 && !isPicture && (
        <div className={styles.earlier}>Earlier text is shown when the output is complete.</div>
      )}
      {/* React renders this element empty. `grow` writes its only child. */}
      <div className={styles.body} ref={body} />
      {/* The caret is outside the text, because the web view lays out all lines of a block that contains an
          element again. */}
      <i className={styles.caret} data-caret="" ref={caret} />
    </div>
  );
}

/**
 * Writes `text` from index `start` as the only child of `body`. If that part is longer than `most` or does
 * not continue the present text, writes only its last `FIRST_PART_CHARACTERS` characters or fewer. Returns
 * the index of the first written character. When text is appended to an existing node, only the affected
 * lines are laid out and painted.
 */
function grow(body: HTMLElement, text: string, start: number, most: number): number {
  const { firstChild } = body;
  if (
    firstChild instanceof Text &&
    text.length - start <= most &&
    text.length >= start + firstChild.length &&
    text.startsWith(firstChild.data, start)
  ) {
    firstChild.appendData(text.slice(start + firstChild.length));
    return start;
  }
  const from = cutFrom(text, text.length - FIRST_PART_CHARACTERS, FIRST_PART_CHARACTERS / 2);
  body.replaceChildren(text.slice(from));
  return from;
}

/** Moves the caret after the last letter. */
function place(caret: HTMLElement, body: HTMLElement, box: HTMLElement): void {
  const { firstChild } = body;
  const last = document.createRange();
  if (firstChild instanceof Text && firstChild.length > 0) {
    last.setStart(firstChild, firstChild.length - 1);
    last.setEnd(firstChild, firstChild.length);
  } else last.selectNodeContents(body);
  // A page without layout, as in component tests, does not provide the letter's rectangle.
  const letter = [...(last.getClientRects?.() ?? [])].at(-1);
  const from = box.getBoundingClientRect();
  const scale = box.offsetWidth / from.width || 1;
  const x = letter ? (letter.right - from.left) * scale : 0;
  const y = letter ? ((letter.top + letter.bottom) / 2 - from.top) * scale + box.scrollTop : 0;
  caret.style.transform = `translate(${x}px, ${y}px)`;
}
