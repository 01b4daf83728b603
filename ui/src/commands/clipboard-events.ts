// The clipboard by key. A web view hands it to a page without asking anybody only with the events of its own copy, cut and
// paste, so these keys are left to it; where it sends no event the command runs as it does from a menu.
import type { Command } from "./command";
import { copyText, cutText, isOnClipboard, pasteOrSay } from "./copy";
import { canEdit } from "./selection";

/** How long the web view may take to send its event after the key, in milliseconds. */
const EVENT_TIMEOUT_MS = 120;

let waiting: { command: Command; timer: ReturnType<typeof setTimeout> } | null = null;

/** The key of a clipboard command was pressed: its event follows, or the command runs by itself. */
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

/** Events that no key of the canvas led to belong to fields and to selected text. */
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

/** WebKit sends the events where nothing is selected as text only when these say that there is something. */
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
