// The time of the last key or pointer action. Its response has priority over automatic changes.

const DOINGS = ["keydown", "pointerdown", "pointermove", "click", "wheel"] as const;

let lastPressAt = Number.NEGATIVE_INFINITY;

/** Returns the time in milliseconds of `performance.now`. */
export const pressedAt = (): number => lastPressAt;

/** Records presses from now on. Call it once per page. */
export function watchPresses(page: Window): void {
  const note = (event: Event) => {
    // A pointer that only moves requests no response.
    if (event.type !== "pointermove" || (event as PointerEvent).buttons !== 0)
      lastPressAt = performance.now();
  };
  for (const doing of DOINGS) page.addEventListener(doing, note, { capture: true, passive: true });
}
