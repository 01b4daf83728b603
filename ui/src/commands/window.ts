// Commands for navigation in the window: opening the command palette, and moving between regions.
import { shownRun, useRuns } from "../runs/session/store";
import { useSession } from "../session/session";
import { startTour } from "../shell/tour/tour";
import type { Command } from "./command";

export const commandListCommand: Command = {
  id: "window.commands",
  label: "Commands…",
  icon: "keyboard",
  keys: ["mod+k"],
  scope: "window",
  run: () => useSession.getState().patch({ commandList: !useSession.getState().commandList }),
};

export const shortcutsCommand: Command = {
  id: "window.shortcuts",
  label: "Keyboard shortcuts",
  icon: "keyboard",
  keys: ["shift+?"],
  scope: "window",
  run: () => useSession.getState().patch({ shortcuts: !useSession.getState().shortcuts }),
};

export const tourCommand: Command = {
  id: "window.tour",
  label: "Take the tour of one loop",
  icon: "repeat",
  scope: "window",
  run: startTour,
};

export const settingsCommand: Command = {
  id: "window.settings",
  label: "Settings",
  icon: "settings",
  keys: ["mod+,"],
  scope: "window",
  run: () => useSession.getState().show("settings"),
};

export const galleryCommand: Command = {
  id: "window.gallery",
  label: "Templates and recent files",
  icon: "layout-grid",
  keys: ["mod+shift+h"],
  scope: "window",
  run: () => useSession.getState().show("gallery"),
};

export const runsCommand: Command = {
  id: "window.runs",
  label: "Runs",
  icon: "history",
  keys: ["mod+shift+r"],
  scope: "window",
  run: () => useSession.getState().show("runs"),
};

export const evaluateCommand: Command = {
  id: "window.evaluate",
  label: "Evaluate",
  icon: "flask",
  keys: ["mod+shift+m"],
  scope: "window",
  run: () => useSession.getState().show("evaluate"),
};

export const costsCommand: Command = {
  id: "window.costs",
  label: "Costs",
  icon: "coins",
  keys: ["mod+shift+b"],
  scope: "window",
  run: () => useSession.getState().show("costs"),
};

export const waitingCommand: Command = {
  id: "window.waiting",
  label: "Waiting: open questions of all runs",
  icon: "circle-pause",
  keys: ["mod+shift+a"],
  scope: "window",
  run: () => useSession.getState().show("waiting"),
};

export const editCommand: Command = {
  id: "window.edit",
  label: "Back to editing",
  icon: "workflow",
  keys: ["mod+e"],
  scope: "window",
  possible: () => {
    const { view, layout } = useSession.getState();
    return view !== "editor" || layout !== "edit";
  },
  run: () => {
    const session = useSession.getState();
    if (session.view === "editor") session.setLayout("edit");
    session.show("editor");
  },
};

/** The command that switches from the edited flow to its running or last run. */
export const showRunCommand: Command = {
  id: "run.show",
  label: "Show the run",
  icon: "history",
  keys: ["mod+shift+e"],
  scope: "window",
  possible: () => {
    const { view, layout } = useSession.getState();
    return view === "editor" && layout === "edit" && shownRun(useRuns.getState()) !== null;
  },
  run: () => useSession.getState().setLayout("run"),
};

/** The regions in reading order, which is the focus order of the window. */
const regions = [
  '[data-region="top"]',
  '[data-region="palette"]',
  '[data-region="settings"]',
  '[data-region="canvas"]',
  '[data-region="side"]',
  '[data-region="dock"]',
  'main:not([data-region="stage"])',
  '[data-region="status"]',
];
const focusable = "button:not(:disabled), input, select, textarea, [tabindex='0']";

/** Returns whether a region is visible. Pages behind the shown one may be kept hidden. */
function isSeen(region: HTMLElement): boolean {
  for (let element: HTMLElement | null = region; element !== null; element = element.parentElement)
    if (getComputedStyle(element).display === "none") return false;
  return true;
}

function focusRegion(step: 1 | -1): void {
  const present = regions.flatMap(
    (selector) => [...document.querySelectorAll<HTMLElement>(selector)].find(isSeen) ?? [],
  );
  const at = present.findIndex((region) => region.contains(document.activeElement));
  for (let i = 1; i <= present.length; i++) {
    const region = present[(at + step * i + present.length * 2) % present.length];
    // The canvas itself is focused, because it announces its content. Its first element could be any wire.
    const target = region?.matches('[data-region="canvas"]')
      ? (region.querySelector<HTMLElement>(".react-flow__node.selected") ?? region)
      : region?.querySelector<HTMLElement>(focusable);
    if (target) {
      target.focus();
      return;
    }
  }
}

export const nextRegionCommand: Command = {
  id: "window.nextRegion",
  label: "Next region",
  keys: ["f6"],
  scope: "window",
  run: () => focusRegion(1),
};

export const previousRegionCommand: Command = {
  id: "window.previousRegion",
  label: "Previous region",
  keys: ["shift+f6"],
  scope: "window",
  run: () => focusRegion(-1),
};
