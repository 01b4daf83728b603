// When somebody last did something with keys or pointer: the answer to that comes before what changes by itself.

const DOINGS = ["keydown", "pointerdown", "pointermove", "click", "wheel"] as const;

let lastPressAt = Number.NEGATIVE_INFINITY;

/** Milliseconds of `performance.now`. */
export const pressedAt = (): number => lastPressAt;

/** Notes it from now on. Call it once, with the page. */
export function watchPresses(page: Window): void {
  const note = (event: Event) => {
    // A pointer that is only moved asks for nothing.
    if (event.type !== "pointermove" || (event as PointerEvent).buttons !== 0)
      lastPressAt = performance.now();
  };
  for (const doing of DOINGS) page.addEventListener(doing, note, { capture: true, passive: true });
}
