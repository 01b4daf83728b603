// The look of a note: its colour and size. A file stores them next to the node's `data`, like `position`,
// because runs ignore them.
import type { FlowNode } from "../ipc/generated/bindings";
import type { DocumentEdit } from "./document-edit";
import { GROUP_COLOURS, type GroupColour } from "./groups";

export type NoteSize = { readonly width: number; readonly height: number };
/** The colour and the size of a note. `size` is null if the note is as large as its text. */
export type NoteLook = { readonly colour: GroupColour; readonly size: NoteSize | null };

/** The limits of a note's sides, in flow pixels. */
export const MIN_NOTE: NoteSize = { width: 120, height: 60 };
export const MAX_NOTE: NoteSize = { width: 1200, height: 1200 };

const within = (value: number, least: number, most: number) =>
  Math.round(Math.min(most, Math.max(least, value)));

/** Returns the nearest allowed size. */
export const noteSize = ({ width, height }: NoteSize): NoteSize => ({
  width: within(width, MIN_NOTE.width, MAX_NOTE.width),
  height: within(height, MIN_NOTE.height, MAX_NOTE.height),
});

/** Reads the colour and the size of a note. If a side is missing or invalid, the size is null. */
export function noteLook(node: FlowNode): NoteLook {
  const colour = GROUP_COLOURS.find((name) => name === node.colour) ?? "grey";
  const { width, height } = node;
  const isSized = typeof width === "number" && typeof height === "number";
  return { colour, size: isSized && width > 0 && height > 0 ? noteSize({ width, height }) : null };
}

const change =
  (ids: ReadonlySet<string>, to: (node: FlowNode) => FlowNode): DocumentEdit =>
  (document) => ({ ...document, nodes: document.nodes.map((node) => (ids.has(node.id) ? to(node) : node)) });

/** Returns an edit that sets a note's size; null fits the note to its text. */
export const resizeNote = (id: string, size: NoteSize | null): DocumentEdit =>
  change(new Set([id]), (node) => {
    const { width: _, height: __, ...rest } = node;
    return (size === null ? rest : { ...rest, ...noteSize(size) }) as FlowNode;
  });

/** Returns an edit that sets the colour of notes. Grey is the default and is not stored. */
export const colourNotes = (ids: Iterable<string>, colour: GroupColour): DocumentEdit =>
  change(new Set(ids), (node) => {
    const { colour: _, ...rest } = node;
    return (colour === "grey" ? rest : { ...rest, colour }) as FlowNode;
  });
