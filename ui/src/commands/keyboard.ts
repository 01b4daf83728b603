// Keys to commands. While something is typed only keys with a modifier reach a command; single letters need the
// focus on the canvas or on nothing.
import { expectEvent, listenToClipboard } from "./clipboard-events";
import { type Command, isPossible } from "./command";
import { commands } from "./index";
import { selectText } from "./select-text";

export const onMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);

/** The name of a key press in the commands' spelling. */
export function keyName(
  event: Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">,
) {
  const mod = onMac() ? event.metaKey : event.ctrlKey;
  // With Shift a bracket key says "{", and a period ">": its place on the keyboard still names it.
  const period = event.shiftKey && event.code === "Period" ? "." : undefined;
  // Some systems have another name for the tab key with Shift.
  const bracket = { BracketLeft: "[", BracketRight: "]", Tab: "tab" }[event.code] ?? period;
  // With Alt a letter says another on a Mac.
  const letter = event.altKey ? /^Key([A-Z])$/.exec(event.code)?.[1]?.toLowerCase() : undefined;
  const key = bracket ?? letter ?? (event.key === " " ? "space" : event.key.toLowerCase());
  // On a Mac Ctrl is a key of its own; elsewhere it is `mod`, and both spellings mean it.
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
    // A list takes letters as the start of what is looked for.
    target.role === "combobox");

/** Fields that were typed into since they got the focus: there, undo is theirs and not the flow's. */
const typedInto = new WeakSet<EventTarget>();

const UNDO = ["mod+z", "mod+shift+z", "mod+y"];

/** Whether undo is about the text in a field: of settings that nobody typed into yet, the flow's history has it. */
const undoesText = (field: EventTarget | null): boolean =>
  !(field instanceof Element && field.closest('[data-region="side"]') && !typedInto.has(field));

const pressable = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && ["BUTTON", "A", "SUMMARY"].includes(target.tagName);

const onCanvas = (target: EventTarget | null): boolean =>
  target === document.body || (target instanceof Element && target.closest(".canvas") !== null);

/** Keys as `keyName` spells them here. */
const spelled = (keys: string): string => (onMac() ? keys : keys.replace(/^ctrl\b/, "mod"));

/** Whether a dialog asks something that comes first. */
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
  // A card with the focus takes every arrow for a nudge, also one with Alt, which goes along a wire. It takes every Enter for a
  // click, and one with Ctrl deselects it, so that a command for the selected node would find none.
  const before = (event: KeyboardEvent) => {
    const isArrow = event.altKey && event.key.startsWith("Arrow");
    const isEnter = event.key === "Enter" && (event.ctrlKey || event.metaKey || event.altKey);
    if (!isArrow && !(isEnter && onCanvas(event.target))) return;
    onKey(event);
    if (event.defaultPrevented) event.stopPropagation();
  };
  const onFocus = ({ target }: Event) => target && typedInto.delete(target);
  // A choice from a list is no text that the field could take back.
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

/** The first of a command's keys as a person reads them; undefined where it has none. */
export const hintOf = ({ keys }: Pick<Command, "keys">): string | undefined =>
  keys?.[0] === undefined ? undefined : keyText(keys[0]);

/** Keys as a person reads them: "⌘↵", "Ctrl+↵". */
export function keyText(keys: string): string {
  // Shift is how this one is typed, wherever it is on the keyboard.
  if (keys === "shift+?") return "?";
  const mac = onMac();
  const parts = keys.split("+").map((part) => names[part]?.[mac ? 0 : 1] ?? part.toUpperCase());
  return parts.join(mac ? "" : "+");
}
