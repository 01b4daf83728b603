// New, open, save, save as.
import { useDocument } from "../document/document";
import { newFlow, saveAs, saveDocument } from "../document/files";
import { exportLanggraph } from "../shell/export/langgraph";
import { importWithDialog, openWithDialog } from "../shell/import/import";
import { openRepository } from "../shell/repository/store";
import type { Command } from "./command";
import { canEdit, inEditor } from "./selection";

export const newCommand: Command = {
  id: "file.new",
  label: "New workflow",
  icon: "file-plus",
  keys: ["mod+n"],
  scope: "window",
  run: newFlow,
};

export const openCommand: Command = {
  id: "file.open",
  label: "Open…",
  icon: "folder-open",
  keys: ["mod+o"],
  scope: "window",
  run: openWithDialog,
};

export const openRepositoryCommand: Command = {
  id: "file.openRepository",
  label: "Open a repository…",
  icon: "git-branch",
  scope: "window",
  run: openRepository,
};

export const importCommand: Command = {
  id: "file.import",
  label: "Import…",
  icon: "import",
  keys: ["mod+shift+o"],
  scope: "window",
  run: importWithDialog,
};

export const exportLanggraphCommand: Command = {
  id: "file.exportLanggraph",
  label: "Export as LangGraph program…",
  icon: "file-output",
  scope: "window",
  possible: () => inEditor() && useDocument.getState().document.nodes.length > 0,
  run: exportLanggraph,
};

export const saveCommand: Command = {
  id: "file.save",
  label: "Save",
  icon: "save",
  keys: ["mod+s"],
  scope: "window",
  // A past run cannot be saved. The document that is open behind it could be, but is not visible.
  possible: canEdit,
  run: saveDocument,
};

export const saveAsCommand: Command = {
  id: "file.saveAs",
  label: "Save as…",
  icon: "save-all",
  keys: ["mod+shift+s"],
  scope: "window",
  possible: inEditor,
  run: saveAs,
};
