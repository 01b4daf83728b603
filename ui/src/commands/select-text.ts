// Ctrl+A where no field and no canvas takes it: the text that is read, and never the words of the window around it.

/** What holds a text to be read as a whole. */
const TEXTS = ".output-text, .diff, pre, .markdown-table";

/** Marks the text that has the focus, else the one that was last clicked into; where there is none, nothing. */
export function selectText(focused: EventTarget | null): void {
  const selection = getSelection();
  const text = textAround(focused) ?? textAround(selection?.anchorNode ?? null);
  if (text) selection?.selectAllChildren(text);
}

function textAround(at: EventTarget | null): Element | null {
  const element = at instanceof Text ? at.parentElement : at;
  return element instanceof Element ? element.closest(TEXTS) : null;
}
