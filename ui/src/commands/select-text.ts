// Ctrl+A outside of fields and the canvas: selects the content being read, and never the labels of the
// window.

/** The elements whose text is selected as a whole. */
const TEXTS = ".output-text, .diff, pre, .markdown-table";

/** Selects the focused text, otherwise the one last clicked, otherwise nothing. */
export function selectText(focused: EventTarget | null): void {
  const selection = getSelection();
  const text = textAround(focused) ?? textAround(selection?.anchorNode ?? null);
  if (text) selection?.selectAllChildren(text);
}

function textAround(at: EventTarget | null): Element | null {
  const element = at instanceof Text ? at.parentElement : at;
  return element instanceof Element ? element.closest(TEXTS) : null;
}
