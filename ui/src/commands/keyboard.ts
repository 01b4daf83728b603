// Maps keys to commands. While the user types, only keys with a modifier reach a command. A single letter
// reaches its command only while the focus is on the canvas or on no element.
import { expectEvent, listenToClipboard } from "./clipboard-events";
import { type Command, isPossible } from "./command";
import { commands } from "./index";
import { selectText } from "./select-text";

export const onMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);

/** Returns the name of a key press in the commands' notation. */
export function keyName(
  event: Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">,
) {
  const mod = onMac() ? event.metaKey : event.ctrlKey;
  // With Shift, a bracket key reports "{" and a period ">". The physical key identifies them.
  const period = event.shiftKey && event.code === "Period" ? "." : undefined;
  // Some systems report another name for Tab with Shift.
  const bracket = { BracketLeft: "[", BracketRight: "]", Tab: "tab" }[event.code] ?? period;
  // With Alt, a letter key reports another character on a Mac.
  const letter = event.altKey ? /^Key([A-Z])$/.exec(event.code)?.[1]?.toLowerCase() : undefined;
  const key = bracket ?? letter ?? (event.key === " " ? "space" : event.key.toLowerCase());
  // On a Mac, Ctrl is a separate modifier. Elsewhere Ctrl is `mod`, so `ctrl+…` and `mod+…` mean the same.
  const ctrl = onMac() && event.ctrlKey;
  const parts = [
    mod ? "mod" : "",
    ctrl ? "ctrl" : "",
    event.altKey ? "alt" : "",
    event.shiftKey ? "shift" : "",
    key,
  ];
  return parts.filter(Boolean).join("+");
}

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    ["INPUT", "TEXTAREA"].includes(target.tagName) ||
    // Letters typed in a list search the list.
    target.role === "combobox");

/**
 * The fields that have been typed into since they were focused. In them, undo applies to the field and not to
 * the flow.
 */
const typedInto = new WeakSet<EventTarget>();

const UNDO = ["mod+z", "mod+shift+z", "mod+y"];

/**
 * Returns whether undo applies to a field's text. In a settings field that has not been typed into, undo
 * applies to the flow's history.
 */
const undoesText = (field: EventTarget | null): boolean =>
  !(field instanceof Element && field.closest('[data-region="side"]') && !typedInto.has(field));

const pressable = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && ["BUTTON", "A", "SUMMARY"].includes(target.tagName);

const onCanvas = (target: EventTarget | null): boolean =>
  target === document.body ||
  (target instanceof Element && target.closest('[data-region="canvas"]') !== null);

/** Converts keys to the notation of `keyName` on this system. */
const spelled = (keys: string): string => (onMac() ? keys : keys.replace(/^ctrl\b/, "mod"));

/** Returns whether a dialog is open. An open dialog handles the keys itself. */
const asked = (): boolean => document.querySelector("dialog[open]") !== null;

export function commandFor(event: KeyboardEvent): Command | null {
  if (asked()) return null;
  const name = keyName(event);
  const written = typing(event.target);
  for (const command of commands) {
    if (!command.keys?.some((keys) => spelled(keys) === name)) continue;
    const plain = !/^(mod|ctrl|alt)\+|^(shift\+)?f\d+$|^escape$/.test(name);
    if (name === "enter" && pressable(event.target)) continue;
    if (written && (plain || (UNDO.includes(name) && undoesText(event.target)))) continue;
    if (command.scope === "canvas" && (written || !onCanvas(event.target))) continue;
    if (!isPossible(command)) continue;
    return command;
  }
  return null;
}

export function listenToKeys(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const command = commandFor(event);
    if (!command) {
      if (keyName(event) !== "mod+a" || typing(event.target)) return;
      event.preventDefault();
      selectText(event.target);
      return;
    }
    if (command.clipboard) {
      expectEvent(command);
      return;
    }
    event.preventDefault();
    void command.run();
  };
  // A focused card treats every arrow key as a nudge, even with Alt, which follows a wire. It treats every
  // Enter as a click, and Enter with Ctrl would deselect the card, so that a command would find no selected
  // node.
  const before = (event: KeyboardEvent) => {
    const isArrow = event.altKey && event.key.startsWith("Arrow");
    const isEnter = event.key === "Enter" && (event.ctrlKey || event.metaKey || event.altKey);
    if (!isArrow && !(isEnter && onCanvas(event.target))) return;
    onKey(event);
    if (event.defaultPrevented) event.stopPropagation();
  };
  const onFocus = ({ target }: Event) => target && typedInto.delete(target);
  // Choosing from a list is not typing: the field has no text to undo.
  const onInput = (event: Event) => {
    if (event instanceof InputEvent && event.target) typedInto.add(event.target);
  };
  window.addEventListener("focusin", onFocus);
  window.addEventListener("input", onInput, true);
  window.addEventListener("keydown", before, true);
  window.addEventListener("keydown", onKey);
  const stop = listenToClipboard();
  return () => {
    window.removeEventListener("focusin", onFocus);
    window.removeEventListener("input", onInput, true);
    window.removeEventListener("keydown", before, true);
    window.removeEventListener("keydown", onKey);
    stop();
  };
}

const names: Record<string, [mac: string, other: string]> = {
  mod: ["⌘", "Ctrl"],
  ctrl: ["⌃", "Ctrl"],
  tab: ["⇥", "Tab"],
  pageup: ["Page↑", "PgUp"],
  pagedown: ["Page↓", "PgDn"],
  shift: ["⇧", "Shift"],
  alt: ["⌥", "Alt"],
  contextmenu: ["Menu", "Menu"],
  enter: ["↵", "↵"],
  delete: ["⌦", "Del"],
  backspace: ["⌫", "Backspace"],
  escape: ["Esc", "Esc"],
  arrowdown: ["↓", "↓"],
  arrowup: ["↑", "↑"],
  arrowleft: ["←", "←"],
  arrowright: ["→", "→"],
};

/** Returns the first of a command's keys in readable form; undefined if it has none. */
export const hintOf = ({ keys }: Pick<Command, "keys">): string | undefined =>
  keys?.[0] === undefined ? undefined : keyText(keys[0]);

/** Formats keys for people: "⌘↵", "Ctrl+↵". */
export function keyText(keys: string): string {
  // This character is typed with Shift on any keyboard, so Shift is not shown.
  if (keys === "shift+?") return "?";
  const mac = onMac();
  const parts = keys.split("+").map((part) => names[part]?.[mac ? 0 : 1] ?? part.toUpperCase());
  return parts.join(mac ? "" : "+");
}
