// A drag that starts outside of text can still select text it passes over. This prevents it while such a drag
// lasts.

/** Prevents text selection until the returned function is called, and clears the current one. */
export function preventTextSelection(): () => void {
  const prevent = (event: Event) => event.preventDefault();
  document.addEventListener("selectstart", prevent, true);
  document.getSelection()?.removeAllRanges();
  return () => document.removeEventListener("selectstart", prevent, true);
}
