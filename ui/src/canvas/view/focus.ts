// The keyboard's focus on the canvas: on a card, which may not be drawn yet, or on the canvas itself.
import type { FocusEvent } from "react";
import { canvasView } from "../../session/canvas-view";

/** How long a card that was just added may take to be drawn and measured, in milliseconds. */
const WITHIN = 2000;

export const focusCanvas = (): void =>
  document.querySelector<HTMLElement>(".canvas")?.focus({ preventScroll: true });

/** Whether the focus is nowhere: what had it is gone from the page. */
export const isFocusLost = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;

/** xyflow's element around a node's card, where it is drawn. */
export const cardOf = (id: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`.canvas .react-flow__node[data-id="${CSS.escape(id)}"]`);

function take(id: string): boolean {
  const card = cardOf(id);
  card?.focus({ preventScroll: true });
  return card != null && document.activeElement === card;
}

/**
 * Gives a card the focus: at once where it is drawn, so that the next key already goes there. A card takes none before it
 * has been measured, because until then it is not visible; whoever takes the focus meanwhile keeps it.
 */
export function focusCard(id: string): void {
  if (take(id)) return;
  const before = document.activeElement;
  const end = performance.now() + WITHIN;
  requestAnimationFrame(function look(now) {
    const focused = document.activeElement;
    if (focused !== before && !isFocusLost() && !focused?.matches(".canvas")) return;
    if (!take(id) && now < end) requestAnimationFrame(look);
  });
}

/** Moves the view by as little as shows a card that got the focus by a key. */
export function keepFocusInView({ target }: FocusEvent<HTMLElement>): void {
  const id = target.matches(".react-flow__node:focus-visible") ? target.dataset.id : undefined;
  if (id !== undefined) canvasView()?.keepInView([id]);
}
