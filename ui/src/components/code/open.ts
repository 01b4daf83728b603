// The mounted editors: the most recently used one, and the one under the pointer. Chips, drags and menus that
// insert a name find their editor here.
import type { Editor } from "./editor";

const byElement = new Map<HTMLElement, Editor>();
let last: HTMLElement | null = null;

export function register(element: HTMLElement, editor: Editor): () => void {
  byElement.set(element, editor);
  return () => {
    byElement.delete(element);
    if (last === element) last = null;
  };
}

export const usedNow = (element: HTMLElement): void => {
  last = element;
};

/**
 * Returns the most recently used editor if it is in `form`, otherwise the first editor in `form`; null if
 * there is none.
 */
export function editorIn(form: ParentNode): Editor | null {
  if (last !== null && form.contains(last)) return byElement.get(last) ?? null;
  const first = form.querySelector<HTMLElement>("[data-code]");
  return first ? (byElement.get(first) ?? null) : null;
}

export function editorOfField(element: HTMLElement): Editor | null {
  return byElement.get(element) ?? null;
}

export type Drop = { readonly editor: Editor; readonly at: number; readonly line: DOMRect | null };

/** Returns the drop position at this point of the window; null outside of editors. */
export function dropAt(x: number, y: number): Drop | null {
  const element = document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-code]");
  const editor = element ? byElement.get(element) : undefined;
  if (!editor) return null;
  const at = editor.view.posAtCoords({ x, y }, false);
  const place = editor.view.coordsAtPos(at);
  const line = place && new DOMRect(place.left - 1, place.top, 2, place.bottom - place.top);
  return { editor, at, line };
}

/** Inserts a name where it was dropped. Returns false if this point is outside of all editors. */
export function dropName(x: number, y: number, name: string): boolean {
  const drop = dropAt(x, y);
  drop?.editor.insert(name, drop.at);
  return drop !== null;
}
