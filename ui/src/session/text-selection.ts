// Prevents a drag from selecting text. Otherwise, even a drag that starts outside of text would select the
// text that it passes over.

/** Clears the current text selection and prevents a new one until the returned function is called. */
export function preventTextSelection(): () => void {
  const prevent = (event: Event) => event.preventDefault();
  document.addEventListener("selectstart", prevent, true);
  document.getSelection()?.removeAllRanges();
  return () => document.removeEventListener("selectstart", prevent, true);
}
