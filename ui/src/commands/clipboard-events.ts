// Handles the clipboard keys. A page can use the clipboard without asking only in the web view's own copy,
// cut and paste events, so these keys are left to the web view. If it sends no event, the command runs as if
// chosen from a menu.
import type { Command } from "./command";
import { copyText, cutText, isOnClipboard, pasteOrSay } from "./copy";
import { canEdit } from "./selection";

/** The time to wait for the web view's clipboard event after the key, in milliseconds. */
const EVENT_TIMEOUT_MS = 120;

let waiting: { command: Command; timer: ReturnType<typeof setTimeout> } | null = null;

/**
 * Waits for the event that follows the key of a clipboard command. If none arrives in time, runs the command
 * without it.
 */
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

/**
 * Handles a clipboard event. An event without a preceding key on the canvas belongs to a field or to selected
 * text, and is ignored.
 */
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
 * Accepts a "before" event. If no text is selected, WebKit sends the clipboard events only if a handler has
 * accepted the "before" events.
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
