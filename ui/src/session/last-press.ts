// The time of the last key or pointer action. The window's response to that action has priority over
// automatic changes.

const DOINGS = ["keydown", "pointerdown", "pointermove", "click", "wheel"] as const;

let lastPressAt = Number.NEGATIVE_INFINITY;

/** Returns the time of the last key or pointer action, in milliseconds on the clock of `performance.now`. */
export const pressedAt = (): number => lastPressAt;

/** Starts to record the time of each key or pointer action. Call it once per page. */
export function watchPresses(page: Window): void {
  const note = (event: Event) => {
    // A pointer that moves without a pressed button expects no response.
    if (event.type !== "pointermove" || (event as PointerEvent).buttons !== 0)
      lastPressAt = performance.now();
  };
  for (const doing of DOINGS) page.addEventListener(doing, note, { capture: true, passive: true });
}
