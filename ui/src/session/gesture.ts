// The current pointer gesture, so that it can be cancelled. There is one pointer, so there is one gesture.
let onCancel: (() => void) | null = null;
let cancelling = false;

/**
 * Registers the current gesture. `cancel` must end the gesture as if the button were released. While `cancel`
 * runs, `isCancelled()` is true, so that handlers ignore the release.
 */
export function beginGesture(cancel: () => void): void {
  onCancel = cancel;
}

export function endGesture(): void {
  onCancel = null;
}

export const isCancelled = (): boolean => cancelling;

/** Cancels the current gesture. Returns false if there was none. */
export function cancelGesture(): boolean {
  if (onCancel === null) return false;
  const cancel = onCancel;
  onCancel = null;
  cancelling = true;
  try {
    cancel();
  } finally {
    cancelling = false;
  }
  return true;
}

/** Simulates the release of the pointer's button, which is the only way to end a drag in xyflow. */
export function releaseButton(): void {
  document.dispatchEvent(new MouseEvent("mouseup", { bubbles: true, view: window }));
}
