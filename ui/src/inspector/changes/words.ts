// Describes changed files in words. Pure.
import type { ChangedFile, FileChange, FileChanges, FileText, FileTexts } from "../../ipc/generated/bindings";
import { formatBytes } from "../../runs/words/bytes";
import { plural } from "../../runs/words/format";

export const CHANGE_WORDS: Record<FileChange, string> = {
  added: "Added",
  edited: "Edited",
  deleted: "Deleted",
  renamed: "Renamed",
  retyped: "Type changed",
};

/** Splits a path into its folder, with the last `/`, and the name in that folder. */
export function partsOf(name: string): { folder: string; name: string } {
  const at = name.lastIndexOf("/") + 1;
  return { folder: name.slice(0, at), name: name.slice(at) };
}

/** Formats the changed lines of a file: "+3 −1", or "not text". */
export function linesWords({ insertions, deletions }: ChangedFile): string {
  return insertions === null || deletions === null ? "not text" : `+${insertions} −${deletions}`;
}

/** Formats all changes: "3 files, +10 −2 lines". */
export function totalWords({ total, insertions, deletions }: FileChanges): string {
  if (total === 0) return "No file differs.";
  return `${plural(total, "file")}, +${insertions} −${deletions} lines`;
}

/** Describes how the type of a file changed; null if it did not change. */
export function modeWords({ before, after }: ChangedFile): string | null {
  if (before === null || after === null || before.kind === after.kind) return null;
  if (before.kind === "file" && after.kind === "executable") return "Made executable.";
  if (before.kind === "executable" && after.kind === "file") return "No longer executable.";
  return `Was ${KINDS[before.kind]}, is ${KINDS[after.kind]} now.`;
}

const KINDS = {
  file: "a file",
  executable: "an executable file",
  link: "a link",
  repository: "a nested repository",
} as const;

function sideWords(text: FileText): string | null {
  switch (text.kind) {
    case "binary":
      return `not text, ${formatBytes(text.bytes)}`;
    case "tooLarge":
      return `too large to show, ${formatBytes(text.bytes)}`;
    case "longLine":
      return `with a line of more than 100,000 characters, ${formatBytes(text.bytes)}`;
    default:
      return null;
  }
}

/** Describes why the content of a file is not shown; null if it is shown. */
export function hiddenWords({ before, after }: FileTexts): string | null {
  const [was, is] = [sideWords(before), sideWords(after)];
  if (was === null && is === null) return null;
  const parts = [
    before.kind === "absent" ? null : `Before: ${was ?? "text"}.`,
    after.kind === "absent" ? null : `After: ${is ?? "text"}.`,
  ];
  return ["The contents are not shown.", ...parts].filter(Boolean).join(" ");
}

export const textOf = (text: FileText): string => (text.kind === "text" ? text.text : "");

/** Describes the changes of a file that are not visible in its text; empty if all are visible. */
export function notesOf(file: ChangedFile, texts: FileTexts): string[] {
  const notes: string[] = [];
  const mode = modeWords(file);
  if (mode !== null) notes.push(mode);
  if (file.change === "renamed" && file.oldName !== null) notes.push(`Was ${file.oldName}.`);
  if (file.before?.kind === "link" || file.after?.kind === "link")
    notes.push("For a link, the path that it points to is compared.");
  const [was, is] = [textOf(texts.before), textOf(texts.after)];
  const isText = texts.before.kind === "text" && texts.after.kind === "text";
  if (isText && was !== is && unified(was) === unified(is)) notes.push("Only the line endings differ.");
  if (isText && was === is && mode === null) notes.push("The text is the same.");
  const isLossy = [texts.before, texts.after].some((text) => text.kind === "text" && text.isLossy);
  if (isLossy) notes.push("The file is not UTF-8. Invalid bytes are shown as \u{fffd}.");
  return notes;
}

const unified = (text: string): string => text.replace(/\r\n?/g, "\n");
