// Opens the canvas menu by key, at the focused or selected node, otherwise at the centre of the view.
import { useCanvasPanels } from "../session/canvas-panels";
import { canvasView } from "../session/canvas-view";
import type { Command } from "./command";
import { inEditor, targets } from "./selection";

export const canvasMenuCommand: Command = {
  id: "canvas.menu",
  label: "Menu for the selection",
  icon: "ellipsis",
  keys: ["contextmenu", "shift+f10"],
  scope: "canvas",
  possible: inEditor,
  run: () => {
    const view = canvasView();
    const [id] = targets();
    const box = id === undefined ? undefined : view?.boxes().get(id);
    const at = box ? { x: (box.left + box.right) / 2, y: box.top + 30 } : view?.centre();
    if (!view || !at) return;
    useCanvasPanels
      .getState()
      .openMenu(view.toClient(at), id === undefined ? { kind: "canvas" } : { kind: "node", id });
  },
};
