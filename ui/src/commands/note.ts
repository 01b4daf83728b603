// Sets the colour of the selected notes, and restores their automatic size.
import { useDocument } from "../document/document";
import { combineEdits } from "../document/edits";
import { GROUP_COLOURS, type GroupColour } from "../document/groups";
import { useKinds } from "../document/kinds";
import { colourNotes, noteLook, resizeNote } from "../document/notes";
import type { Command } from "./command";
import { canEdit, targets } from "./selection";

/** Returns the selected notes; empty if something else is selected too. */
function notes() {
  const ids = canEdit() ? targets() : [];
  const { byType } = useKinds.getState();
  const found = useDocument
    .getState()
    .document.nodes.filter((node) => ids.includes(node.id) && byType.get(node.type)?.shape === "annotation");
  return found.length === ids.length ? found : [];
}

export function setNoteColour(ids: readonly string[], colour: GroupColour): void {
  useDocument
    .getState()
    .edit(colourNotes(ids, colour), { label: "Color note", mark: `colour:${ids.join()}` });
}

export const noteCommands: readonly Command[] = [
  {
    id: "note.colour",
    label: "Next color of the note",
    icon: "sticky-note",
    scope: "canvas",
    possible: () => notes().length > 0,
    run: () => {
      const found = notes();
      const [first] = found;
      if (!first) return;
      const at = GROUP_COLOURS.indexOf(noteLook(first).colour);
      const next = GROUP_COLOURS[(at + 1) % GROUP_COLOURS.length] ?? "grey";
      setNoteColour(
        found.map(({ id }) => id),
        next,
      );
    },
  },
  {
    id: "note.fit",
    label: "Fit the note to its text",
    scope: "canvas",
    possible: () => notes().some((note) => noteLook(note).size !== null),
    run: () =>
      useDocument
        .getState()
        .edit(combineEdits(...notes().map(({ id }) => resizeNote(id, null))), { label: "Resize note" }),
  },
];
