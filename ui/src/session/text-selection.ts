// A drag that begins on no text can still select text that it passes. While such a drag lasts no selection begins.

/** Until the function it returns is called. Text that is selected already is deselected. */
export function preventTextSelection(): () => void {
  const prevent = (event: Event) => event.preventDefault();
  document.addEventListener("selectstart", prevent, true);
  document.getSelection()?.removeAllRanges();
  return () => document.removeEventListener("selectstart", prevent, true);
}
