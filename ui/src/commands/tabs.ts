// Commands for the tabs of open flows: next, previous, close, and move.
import { useSession } from "../session/session";
import { closeTab } from "../tabs/closing";
import { moveTab, neighbourTab, showTab, useTabs } from "../tabs/tabs";
import type { Command } from "./command";
import { inEditor } from "./selection";

const several = () => useTabs.getState().tabs.length > 1;

function step(by: 1 | -1): void {
  const id = neighbourTab(by);
  if (id === null) return;
  showTab(id);
  useSession.getState().show("editor");
}

export const nextTabCommand: Command = {
  id: "tab.next",
  label: "Next open flow",
  icon: "chevron-right",
  keys: ["ctrl+tab", "ctrl+pagedown"],
  scope: "window",
  possible: several,
  run: () => step(1),
};

export const previousTabCommand: Command = {
  id: "tab.previous",
  label: "Previous open flow",
  icon: "arrow-left",
  keys: ["ctrl+shift+tab", "ctrl+pageup"],
  scope: "window",
  possible: several,
  run: () => step(-1),
};

export const closeTabCommand: Command = {
  id: "tab.close",
  label: "Close this flow",
  icon: "x",
  keys: ["mod+w"],
  scope: "window",
  possible: inEditor,
  run: () => closeTab(useTabs.getState().active),
};

function shift(by: 1 | -1): void {
  const { tabs, active } = useTabs.getState();
  moveTab(active, tabs.findIndex((tab) => tab.id === active) + by);
}

export const tabLeftCommand: Command = {
  id: "tab.left",
  label: "Move this tab left",
  icon: "chevron-left",
  keys: ["ctrl+shift+pageup"],
  scope: "window",
  possible: () => inEditor() && several(),
  run: () => shift(-1),
};

export const tabRightCommand: Command = {
  id: "tab.right",
  label: "Move this tab right",
  keys: ["ctrl+shift+pagedown"],
  scope: "window",
  possible: () => inEditor() && several(),
  run: () => shift(1),
};
