// What the pointer is dragging, so that it can be let go of without effect. One at a time, as there is one pointer.
let onCancel: (() => void) | null = null;
let cancelling = false;

/** `cancel` ends the gesture as a release would; while it does, `isCancelled()` says that nothing is to come of it. */
export function beginGesture(cancel: () => void): void {
  onCancel = cancel;
}

export function endGesture(): void {
  onCancel = null;
}

export const isCancelled = (): boolean => cancelling;

/** Whether there was one to cancel. */
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

/** A release of the button wherever the pointer is: what xyflow drags has no other end. */
export function releaseButton(): void {
  document.dispatchEvent(new MouseEvent("mouseup", { bubbles: true, view: window }));
}
