// The editors that stand on the page: which one was used last, and which one is under the pointer. What inserts a name (a chip,
// a drag, a menu) finds its editor here.
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

/** The editor that was used last within `form`, else its first. */
export function editorIn(form: ParentNode): Editor | null {
  if (last !== null && form.contains(last)) return byElement.get(last) ?? null;
  const first = form.querySelector<HTMLElement>("[data-code]");
  return first ? (byElement.get(first) ?? null) : null;
}

export function editorOfField(element: HTMLElement): Editor | null {
  return byElement.get(element) ?? null;
}

export type Drop = { readonly editor: Editor; readonly at: number; readonly line: DOMRect | null };

/** Where a name that is let go at this point of the window would be put; null where no editor is. */
export function dropAt(x: number, y: number): Drop | null {
  const element = document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-code]");
  const editor = element ? byElement.get(element) : undefined;
  if (!editor) return null;
  const at = editor.view.posAtCoords({ x, y }, false);
  const place = editor.view.coordsAtPos(at);
  const line = place && new DOMRect(place.left - 1, place.top, 2, place.bottom - place.top);
  return { editor, at, line };
}

/** Puts a name where it was let go. False where no editor is. */
export function dropName(x: number, y: number, name: string): boolean {
  const drop = dropAt(x, y);
  drop?.editor.insert(name, drop.at);
  return drop !== null;
}
