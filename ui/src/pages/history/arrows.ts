// Keys that move the focus in a list.
import type { KeyboardEvent } from "react";

/**
 * Moves the focus among the buttons that `selector` finds in a list: to the next or previous one with the
 * down and up keys, to the first or last one with Home and End.
 */
export function moveByArrows(event: KeyboardEvent<HTMLElement>, selector: string): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = {
    ArrowDown: Math.min(at + 1, rows.length - 1),
    ArrowUp: Math.max(at - 1, 0),
    Home: 0,
    End: rows.length - 1,
  }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  rows[next]?.focus();
}
