// Saves a picture of the canvas, as PNG or SVG, in a file that the user chooses.
import { useDocument } from "../document/document";
import { suggestedName } from "../document/files";
import { api, errorMessage } from "../ipc/client";
import { canvasView, type PictureForm } from "../session/canvas-view";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { inEditor } from "./selection";

async function save(form: PictureForm): Promise<void> {
  const { toast } = useSession.getState();
  try {
    const picture = await canvasView()?.picture(form);
    if (!picture) return;
    const name = suggestedName(useDocument.getState().document).replace(/(\.flow)?\.(json|loop)$/, "");
    const chosen = await api().pickSave(`${name}.${form}`);
    if (chosen === null) return;
    const path = chosen.toLowerCase().endsWith(`.${form}`) ? chosen : `${chosen}.${form}`;
    await api().savePicture(path, [...picture]);
    toast({ tone: "ok", title: `Saved the picture as ${path.split(/[\\/]/).at(-1)}` });
  } catch (error) {
    toast({ tone: "error", title: "The picture was not saved", detail: errorMessage(error) });
  }
}

const exporting = (form: PictureForm, label: string): Command => ({
  id: `canvas.export${form === "png" ? "Png" : "Svg"}`,
  label,
  icon: "image-down",
  scope: "canvas",
  possible: () => inEditor() && useDocument.getState().document.nodes.length > 0,
  run: () => save(form),
});

export const exportPngCommand = exporting("png", "Save as an image (PNG)…");
export const exportSvgCommand = exporting("svg", "Save as an image (SVG)…");
