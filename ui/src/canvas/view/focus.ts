// The keyboard focus on the canvas: on a card, which may not be drawn yet, or on the canvas itself.
import type { FocusEvent } from "react";
import { canvasView } from "../../session/canvas-view";

/** The time in which a new card must be drawn and measured, in milliseconds. */
const WITHIN = 2000;

export const focusCanvas = (): void =>
  document.querySelector<HTMLElement>('[data-region="canvas"]')?.focus({ preventScroll: true });

/** Returns whether no element has the focus, because the focused one was removed. */
export const isFocusLost = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;

/** Returns xyflow's element around a node's card; null if the card is not drawn. */
export const cardOf = (id: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(
    `[data-region="canvas"] .react-flow__node[data-id="${CSS.escape(id)}"]`,
  );

function take(id: string): boolean {
  const card = cardOf(id);
  card?.focus({ preventScroll: true });
  return card != null && document.activeElement === card;
}

/**
 * Focuses a card. If it is drawn, it gets the focus immediately, so that it receives the next key. If not, it
 * gets the focus once it is measured, unless another element was focused meanwhile.
 */
export function focusCard(id: string): void {
  if (take(id)) return;
  const before = document.activeElement;
  const end = performance.now() + WITHIN;
  requestAnimationFrame(function look(now) {
    const focused = document.activeElement;
    if (focused !== before && !isFocusLost() && !focused?.matches('[data-region="canvas"]')) return;
    if (!take(id) && now < end) requestAnimationFrame(look);
  });
}

/** Brings a card that was focused by key into view with the smallest possible move. */
export function keepFocusInView({ target }: FocusEvent<HTMLElement>): void {
  const id = target.matches(".react-flow__node:focus-visible") ? target.dataset.id : undefined;
  if (id !== undefined) canvasView()?.keepInView([id]);
}
