// Ctrl+A outside of fields and the canvas. It selects the content that the user is reading, never the labels
// of the window.

/** Matches the elements whose text is selected as a whole. */
const TEXTS = "[data-text], pre, .markdown-table";

/**
 * Selects the text that has the focus, otherwise the text that was clicked last. Without either, selects
 * nothing.
 */
export function selectText(focused: EventTarget | null): void {
  const selection = getSelection();
  const text = textAround(focused) ?? textAround(selection?.anchorNode ?? null);
  if (text) selection?.selectAllChildren(text);
}

function textAround(at: EventTarget | null): Element | null {
  const element = at instanceof Text ? at.parentElement : at;
  return element instanceof Element ? element.closest(TEXTS) : null;
}
