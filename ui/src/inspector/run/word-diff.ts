// The word-by-word diff of two texts, as the pieces that the diff view draws. Pure.
import type { Change } from "diff";
import { plural } from "../../runs/words/format";
import { textChanges } from "./text-changes";

export type DiffPiece =
  | { readonly kind: "same" | "ins" | "del" | "later"; readonly text: string }
  /** An unchanged stretch that is hidden at first, with its length: "3 paragraphs". */
  | { readonly kind: "fold"; readonly text: string; readonly amount: string };

export type WordDiff = {
  readonly pieces: readonly DiffPiece[];
  readonly added: number;
  readonly removed: number;
  /** The part of the text that is shown as replaced completely, because it is too different or too long. */
  readonly coarse: "nothing" | "parts" | "all";
};

/**
 * Compares `before` with `after`. While `after` is streaming, the rest of `before` is "later": not reached
 * yet, as opposed to deleted.
 */
export function wordDiff(before: string, after: string, streaming = false): WordDiff {
  const reached = streaming ? splitReached(before, after) : { before, later: "" };
  const { changes, coarse } = textChanges(reached.before, after);
  const pieces: readonly DiffPiece[] = readable(changes).flatMap(written);
  const count = (kind: DiffPiece["kind"]) =>
    pieces.reduce((n, p) => (p.kind === kind ? n + countWords(p.text) : n), 0);
  const added = count("ins");
  const removed = count("del");
  const folded = pieces.flatMap((p, i) =>
    p.kind === "same" ? fold(p.text, i > 0, i < pieces.length - 1) : [p],
  );
  if (reached.later !== "") folded.push(piece("later", reached.later));
  const stays = pieces.some((p) => p.kind === "same" && p.text.trim() !== "");
  return { pieces: folded, added, removed, coarse: !coarse ? "nothing" : stays ? "parts" : "all" };
}

/**
 * Returns the pieces that make up the first `most` characters, and the number of characters left over. A fold
 * counts as no characters. An addition or deletion takes at most half of `most`, so that both sides of a long
 * replacement are visible.
 */
export function beginning(
  pieces: readonly DiffPiece[],
  most: number,
): { visible: DiffPiece[]; left: number } {
  const visible: DiffPiece[] = [];
  let [room, left] = [most, 0];
  for (const p of pieces) {
    const length = p.kind === "fold" ? 0 : p.text.length;
    const shown = Math.min(length, room, p.kind === "del" || p.kind === "ins" ? Math.ceil(most / 2) : most);
    left += length - shown;
    if (room === 0) continue;
    visible.push(shown === length ? p : { ...p, text: `${p.text.slice(0, shown)}…` });
    room -= shown;
  }
  return { visible, left };
}

/** A stretch of the diff: unchanged, or replaced, where `del` or `ins` may be empty. */
type Stretch =
  | { readonly kind: "same"; readonly text: string }
  | { readonly kind: "changed"; readonly del: string; readonly ins: string };

/**
 * An unchanged stretch that is shorter than this fraction of the smaller neighbouring change counts as a
 * coincidence.
 */
const COINCIDENCE = 0.5;
/** The length in characters above which an unchanged stretch is never a coincidence. */
const MAX_JOINED_CHARACTERS = 2_000;
/**
 * Matches the end of a sentence or line. A stretch that contains one is never joined, however short it is.
 */
const STRETCH_END = /[.!?…:;]|\n/;

/**
 * Joins changes separated by only a word or two: "lets out a gas" became "breathes out carbon dioxide" as a
 * whole, not around its "out". This is the semantic cleanup of Neil Fraser's "Diff Strategies" (2006),
 * applied to words and less aggressive, since readers of drafts look for sentences.
 */
function readable(changes: readonly Change[]): Stretch[] {
  const out: Stretch[] = [];
  for (const next of stretches(changes)) {
    out.push(next);
    for (let joined = joinLast(out); joined; joined = joinLast(out));
  }
  return out;
}

/** Joins the last three stretches if the middle one is a coincidence. Returns whether it did. */
function joinLast(out: Stretch[]): boolean {
  const [a, same, b] = out.slice(-3);
  if (a?.kind !== "changed" || same?.kind !== "same" || b?.kind !== "changed") return false;
  const weight = (s: { del: string; ins: string }) => Math.max(s.del.trim().length, s.ins.trim().length);
  const { text } = same;
  if (text.length > MAX_JOINED_CHARACTERS) return false;
  if (STRETCH_END.test(text) || text.trim().length >= COINCIDENCE * Math.min(weight(a), weight(b)))
    return false;
  out.splice(-3, 3, { kind: "changed", del: a.del + text + b.del, ins: a.ins + text + b.ins });
  return true;
}

function stretches(changes: readonly Change[]): Stretch[] {
  const out: Stretch[] = [];
  for (const { added, removed, value } of changes) {
    const last = out.at(-1);
    if (!added && !removed) {
      if (last?.kind === "same") out.pop();
      out.push({ kind: "same", text: (last?.kind === "same" ? last.text : "") + value });
    } else {
      const at = last?.kind === "changed" ? last : { del: "", ins: "" };
      if (last?.kind === "changed") out.pop();
      out.push({ kind: "changed", del: at.del + (removed ? value : ""), ins: at.ins + (added ? value : "") });
    }
  }
  return out;
}

function written(stretch: Stretch): DiffPiece[] {
  const pieces =
    stretch.kind === "same"
      ? [piece("same", stretch.text)]
      : [piece("del", stretch.del), piece("ins", stretch.ins)];
  return pieces.filter((p) => p.text !== "");
}

function piece(kind: "same" | "ins" | "del" | "later", text: string): DiffPiece {
  return { kind, text };
}

export function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}]+(?:[’'-][\p{L}\p{N}]+)*/gu)?.length ?? 0;
}

/**
 * The maximum number of cells in the distance table. Each takes some nanoseconds. For longer texts, only the
 * number of words is compared.
 */
const MAX_CELLS = 2_000_000;

/**
 * The streamed text may have replaced at most this many times its own length of the older text, plus
 * `MIN_REACH` characters.
 */
const REACH = 4;
const MIN_REACH = 2_000;

/**
 * Splits the older text at the point that the streamed text has reached. The first part is the prefix with
 * the smallest word distance to the streamed text. If several prefixes are equally close, it is the one with
 * the same number of words. This is the last row of an edit distance table with a free end in the older text
 * (Peter Sellers, "The Theory and Computation of Evolutionary Distances", 1980).
 */
function splitReached(before: string, after: string): { before: string; later: string } {
  const reach = before.slice(0, REACH * after.length + MIN_REACH);
  const words = [...reach.matchAll(/\S+\s*/g)];
  const written = after.match(/\S+/g) ?? [];
  const count = nearestBeginning(
    words.map(([word]) => word.trimEnd()),
    written,
  );
  const end = words[count]?.index ?? reach.length;
  return { before: before.slice(0, end), later: before.slice(end) };
}

/**
 * Returns the length of the prefix of `words` that needs the fewest insertions, deletions and replacements to
 * become `written`.
 */
function nearestBeginning(words: readonly string[], written: readonly string[]): number {
  const most = Math.min(words.length, written.length);
  if (words.length * written.length > MAX_CELLS) return most;
  let row = Uint32Array.from({ length: words.length + 1 }, (_, i) => i);
  for (const [i, word] of written.entries()) {
    const next = new Uint32Array(row.length);
    next[0] = i + 1;
    for (let j = 1; j < row.length; j += 1) {
      const replaced = distanceAt(row, j - 1) + (words[j - 1] === word ? 0 : 1);
      next[j] = Math.min(replaced, distanceAt(row, j) + 1, distanceAt(next, j - 1) + 1);
    }
    row = next;
  }
  let nearest = most;
  for (const [j, distance] of row.entries()) if (distance < distanceAt(row, nearest)) nearest = j;
  return nearest;
}

const distanceAt = (row: Uint32Array, index: number): number => row[index] ?? Number.POSITIVE_INFINITY;

/**
 * The units in which an unchanged stretch is folded, and how many units are kept next to a change. The first
 * unit that keeps little enough text is used.
 */
const FOLDED = [
  { name: "paragraph", split: /(?<=\n\s*\n)/, kept: 1 },
  { name: "line", split: /(?<=\n)/, kept: 3 },
  { name: "word", split: /(?<=\s)(?=\S)/, kept: 40 },
];
/** The maximum number of characters kept around a fold. If paragraphs would keep more, lines are used. */
const MAX_KEPT_CHARACTERS = 3_000;

/** Folds unchanged text except for the parts next to a change. */
function fold(text: string, changeBefore: boolean, changeAfter: boolean): DiffPiece[] {
  const whole = [piece("same", text)];
  // Without any change the whole text is shown.
  if (!changeBefore && !changeAfter) return whole;
  for (const { name, split, kept } of FOLDED) {
    const parts = text.split(split);
    const from = changeBefore ? kept : 0;
    const to = Math.max(from, parts.length - (changeAfter ? kept : 0));
    const [head, hidden, tail] = [parts.slice(0, from), parts.slice(from, to), parts.slice(to)].map((p) =>
      p.join(""),
    ) as [string, string, string];
    if (head.length + tail.length > MAX_KEPT_CHARACTERS) continue;
    if (hidden === "") return whole;
    const amount = plural(name === "word" ? countWords(hidden) : to - from, `unchanged ${name}`);
    return [piece("same", head), { kind: "fold", text: hidden, amount } as const, piece("same", tail)].filter(
      (p) => p.text !== "",
    );
  }
  return whole;
}
