// The current pointer gesture, so that it can be cancelled. There is one pointer, so there is one gesture.
let onCancel: (() => void) | null = null;
let cancelling = false;

/**
 * Registers a gesture. `cancel` ends it like a release; `isCancelled()` is true meanwhile, so that handlers
 * ignore it.
 */
export function beginGesture(cancel: () => void): void {
  onCancel = cancel;
}

export function endGesture(): void {
  onCancel = null;
}

export const isCancelled = (): boolean => cancelling;

/** Cancels the gesture. Returns whether there was one. */
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

/** Releases the button at any position, the only way to end a drag in xyflow. */
export function releaseButton(): void {
  document.dispatchEvent(new MouseEvent("mouseup", { bubbles: true, view: window }));
}
