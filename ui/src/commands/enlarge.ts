// Opens the focused field of a node in an editor as high as the window.
import type { Command } from "./command";

const button = (): HTMLElement | null =>
  document.activeElement
    ?.closest('[data-widget="code"]')
    ?.querySelector<HTMLElement>(':scope > [aria-label="Large editor"]') ?? null;

export const enlargeCommand: Command = {
  id: "field.enlarge",
  label: "Large editor",
  icon: "maximize",
  keys: ["f4"],
  scope: "window",
  possible: () => button() !== null,
  run: () => button()?.click(),
};
