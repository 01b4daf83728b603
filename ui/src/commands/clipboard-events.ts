// Clipboard keys. Only the web view's own copy, cut and paste events give a page access to the clipboard
// without asking, so these keys are left to the web view. If it sends no event, the command runs as from a
// menu.
import type { Command } from "./command";
import { copyText, cutText, isOnClipboard, pasteOrSay } from "./copy";
import { canEdit } from "./selection";

/** The time to wait for the web view's event after the key, in milliseconds. */
const EVENT_TIMEOUT_MS = 120;

let waiting: { command: Command; timer: ReturnType<typeof setTimeout> } | null = null;

/** Called for the key of a clipboard command. Its event follows, otherwise the command runs by itself. */
export function expectEvent(command: Command): void {
  settle();
  waiting = {
    command,
    timer: setTimeout(() => {
      waiting = null;
      void command.run();
    }, EVENT_TIMEOUT_MS),
  };
}

function settle(): Command | null {
  const command = waiting?.command ?? null;
  clearTimeout(waiting?.timer);
  waiting = null;
  return command;
}

/** Events without a preceding key on the canvas belong to fields and selected text. */
function onEvent(event: ClipboardEvent): void {
  const command = settle();
  if (command?.clipboard !== event.type || !event.clipboardData) return;
  if (event.type === "paste") {
    const text = event.clipboardData.getData("text/plain");
    event.preventDefault();
    if (canEdit()) void pasteOrSay(text);
    return;
  }
  const text = event.type === "copy" ? copyText() : cutText();
  if (text === null) return;
  event.clipboardData.setData("text/plain", text);
  isOnClipboard();
  event.preventDefault();
}

/**
 * Without selected text, WebKit sends the events only if the "before" events claim that there is something.
 */
function allow(event: Event): void {
  if (waiting !== null) event.preventDefault();
}

const events = ["copy", "cut", "paste"] as const;
const before = ["beforecopy", "beforecut", "beforepaste"] as const;

export function listenToClipboard(): () => void {
  for (const name of events) window.addEventListener(name, onEvent);
  for (const name of before) window.addEventListener(name, allow);
  return () => {
    for (const name of events) window.removeEventListener(name, onEvent);
    for (const name of before) window.removeEventListener(name, allow);
  };
}
