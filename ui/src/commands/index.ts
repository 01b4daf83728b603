// All user commands in one ordered list.

import { addNoteCommand, quickAddCommand, searchPaletteCommand } from "./add";
import { arrangeCommands } from "./arrange";
import { backOutCommand } from "./back-out";
import { bypassCommand } from "./bypass";
import { canvasMenuCommand } from "./canvas-menu";
import type { Command } from "./command";
import { copyCommand, cutCommand, pasteCommand } from "./copy";
import { deleteCommand } from "./delete";
import { diffCommand } from "./diff";
import { duplicateCommand } from "./duplicate";
import { enlargeCommand } from "./enlarge";
import { exportPngCommand, exportSvgCommand } from "./export";
import {
  exportLanggraphCommand,
  importCommand,
  newCommand,
  openCommand,
  openRepositoryCommand,
  saveAsCommand,
  saveCommand,
} from "./file";
import { foldCommand } from "./fold";
import { forkCommand, forkIterationCommand, runFromCommand, runToCommand } from "./fork";
import { groupCommands } from "./group";
import {
  firstIterationCommand,
  liveIterationCommand,
  nextIterationCommand,
  previousIterationCommand,
} from "./iterations";
import { layoutSelectionCommand, tidyCommand } from "./layout";
import { connectCommand, editNodeCommand, enterSubflowCommand, leaveSubflowCommand } from "./node";
import { noteCommands } from "./note";
import { findCommand, historyCommand } from "./panels";
import { continueCommand, largerBudgetCommand, pauseCommand, verifyCommand } from "./pause";
import { editPinCommand, pinCommand } from "./pin";
import { applyFixCommand, nextProblemCommand, validateCommand } from "./problems";
import { redoCommand } from "./redo";
import { renameCommand } from "./rename";
import { reviewCommand } from "./review";
import { runCommand } from "./run";
import { selectAllCommand } from "./select-all";
import { stopCommand } from "./stop";
import { closeTabCommand, nextTabCommand, previousTabCommand, tabLeftCommand, tabRightCommand } from "./tabs";
import { themeCommands } from "./theme";
import { undoCommand } from "./undo";
import {
  actualSizeCommand,
  fitCommand,
  fitSelectionCommand,
  minimapCommand,
  panToolCommand,
  selectToolCommand,
  zoomInCommand,
  zoomOutCommand,
} from "./view";
import { walkCommands } from "./walk";
import {
  commandListCommand,
  costsCommand,
  editCommand,
  evaluateCommand,
  galleryCommand,
  nextRegionCommand,
  previousRegionCommand,
  runsCommand,
  settingsCommand,
  shortcutsCommand,
  showRunCommand,
  tourCommand,
  waitingCommand,
} from "./window";

export const commands: readonly Command[] = [
  newCommand,
  openCommand,
  openRepositoryCommand,
  importCommand,
  exportLanggraphCommand,
  saveCommand,
  saveAsCommand,
  nextTabCommand,
  previousTabCommand,
  closeTabCommand,
  tabLeftCommand,
  tabRightCommand,
  undoCommand,
  redoCommand,
  historyCommand,
  findCommand,
  copyCommand,
  cutCommand,
  pasteCommand,
  duplicateCommand,
  deleteCommand,
  selectAllCommand,
  ...walkCommands,
  ...arrangeCommands,
  backOutCommand,
  quickAddCommand,
  enterSubflowCommand,
  editNodeCommand,
  enlargeCommand,
  renameCommand,
  bypassCommand,
  foldCommand,
  ...groupCommands,
  leaveSubflowCommand,
  connectCommand,
  searchPaletteCommand,
  addNoteCommand,
  ...noteCommands,
  exportPngCommand,
  exportSvgCommand,
  tidyCommand,
  layoutSelectionCommand,
  fitCommand,
  fitSelectionCommand,
  actualSizeCommand,
  zoomInCommand,
  zoomOutCommand,
  minimapCommand,
  selectToolCommand,
  panToolCommand,
  runCommand,
  runFromCommand,
  runToCommand,
  pauseCommand,
  continueCommand,
  stopCommand,
  reviewCommand,
  largerBudgetCommand,
  forkCommand,
  forkIterationCommand,
  verifyCommand,
  pinCommand,
  editPinCommand,
  validateCommand,
  nextProblemCommand,
  applyFixCommand,
  previousIterationCommand,
  nextIterationCommand,
  firstIterationCommand,
  liveIterationCommand,
  diffCommand,
  canvasMenuCommand,
  commandListCommand,
  shortcutsCommand,
  tourCommand,
  ...themeCommands,
  settingsCommand,
  galleryCommand,
  editCommand,
  runsCommand,
  evaluateCommand,
  costsCommand,
  waitingCommand,
  showRunCommand,
  nextRegionCommand,
  previousRegionCommand,
];

const byId = new Map(commands.map((command) => [command.id, command]));

export function commandById(id: string): Command {
  const command = byId.get(id);
  if (!command) throw new Error(`No command is called ${id}.`);
  return command;
}
