// Fit, zoom, 100%, and tools.
import { canvasView } from "../session/canvas-view";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { inEditor, targets } from "./selection";

export const fitCommand: Command = {
  id: "canvas.fit",
  label: "Fit view",
  icon: "maximize",
  keys: ["1"],
  scope: "canvas",
  possible: inEditor,
  run: () => canvasView()?.fit(),
};

export const fitSelectionCommand: Command = {
  id: "canvas.fitSelection",
  label: "Fit the selection",
  icon: "maximize",
  keys: ["2"],
  scope: "canvas",
  possible: () => targets().length > 0,
  run: () => canvasView()?.fitNodes(targets()),
};

export const actualSizeCommand: Command = {
  id: "canvas.actualSize",
  label: "Zoom to 100%",
  keys: ["0"],
  scope: "canvas",
  possible: inEditor,
  run: () => canvasView()?.zoomTo(1),
};

/** The factor of one zoom step. */
const ZOOM_STEP = 1.25;

export const zoomInCommand: Command = {
  id: "canvas.zoomIn",
  label: "Zoom in",
  icon: "plus",
  // On most keyboards, the plus of the digit row is typed with Shift.
  keys: ["mod+=", "mod+shift++", "mod++"],
  scope: "window",
  possible: inEditor,
  run: () => canvasView()?.zoomBy(ZOOM_STEP),
};

export const zoomOutCommand: Command = {
  id: "canvas.zoomOut",
  label: "Zoom out",
  icon: "minus",
  keys: ["mod+-"],
  scope: "window",
  possible: inEditor,
  run: () => canvasView()?.zoomBy(1 / ZOOM_STEP),
};

export const minimapCommand: Command = {
  id: "canvas.minimap",
  label: "Show or hide the minimap",
  icon: "map",
  scope: "canvas",
  possible: inEditor,
  run: () => useSession.getState().patch({ minimap: !useSession.getState().minimap }),
};

export const selectToolCommand: Command = {
  id: "tool.select",
  label: "Select",
  icon: "mouse-pointer-2",
  keys: ["v"],
  scope: "canvas",
  run: () => useSession.getState().patch({ tool: "select" }),
};

export const panToolCommand: Command = {
  id: "tool.pan",
  label: "Pan",
  icon: "hand",
  keys: ["h"],
  scope: "canvas",
  run: () => useSession.getState().patch({ tool: "pan" }),
};
