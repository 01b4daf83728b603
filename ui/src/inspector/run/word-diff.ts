// The difference of two texts, word by word, in the pieces the diff view draws. Pure.
import { type Change, diffWords } from "diff";

export type DiffPiece =
  | { readonly kind: "same" | "ins" | "del" | "later"; readonly text: string }
  /** Unchanged paragraphs that the view leaves out until asked. */
  | { readonly kind: "fold"; readonly text: string; readonly paragraphs: number };

export type WordDiff = {
  readonly pieces: readonly DiffPiece[];
  readonly added: number;
  readonly removed: number;
  /** The texts are so different, or so long, that they are shown as one replaced by the other. */
  readonly coarse: boolean;
};

/** Past this much work a diff says less than the two texts, and the window must stay quick. */
const MAX_MS = 150;

/**
 * Compares `before` with `after`. While `after` is still being written, what `before` has beyond it is "later":
 * not reached, which is not the same as deleted.
 */
export function wordDiff(before: string, after: string, streaming = false): WordDiff {
  const reached = streaming ? splitReached(before, after) : { before, later: "" };
  const changes = diffWords(reached.before, after, { timeout: MAX_MS });
  const pieces: readonly DiffPiece[] =
    changes === undefined
      ? written({ kind: "changed", del: reached.before, ins: after })
      : readable(changes).flatMap(written);
  const count = (kind: DiffPiece["kind"]) =>
    pieces.reduce((n, p) => (p.kind === kind ? n + countWords(p.text) : n), 0);
  const added = count("ins");
  const removed = count("del");
  const folded = pieces.flatMap((p, i) =>
    p.kind === "same" ? fold(p.text, i > 0, i < pieces.length - 1) : [p],
  );
  if (reached.later !== "") folded.push(piece("later", reached.later));
  return { pieces: folded, added, removed, coarse: changes === undefined };
}

/** A stretch that stayed, or one that took the place of another; `del` or `ins` may be empty. */
type Stretch =
  | { readonly kind: "same"; readonly text: string }
  | { readonly kind: "changed"; readonly del: string; readonly ins: string };

/** An unchanged stretch is a coincidence when it is less than this part of what changed on either side of it. */
const COINCIDENCE = 0.5;
/** The end of a sentence or of a line is a place to rest, however short the stretch is. */
const REST = /[.!?…:;]|\n/;

/**
 * Joins changes that only a word or two part: "lets out a gas" became "breathes out carbon dioxide" as a whole, not
 * around its "out". It is the semantic clean-up of Neil Fraser's "Diff Strategies" (2006), with words for what may stay
 * and milder, since the reader of a draft looks for sentences.
 */
function readable(changes: readonly Change[]): Stretch[] {
  const out: Stretch[] = [];
  for (const next of stretches(changes)) {
    out.push(next);
    for (let joined = joinLast(out); joined; joined = joinLast(out));
  }
  return out;
}

/** Makes the last three one, where the middle of them is a coincidence. */
function joinLast(out: Stretch[]): boolean {
  const [a, same, b] = out.slice(-3);
  if (a?.kind !== "changed" || same?.kind !== "same" || b?.kind !== "changed") return false;
  const weight = (s: { del: string; ins: string }) => Math.max(s.del.trim().length, s.ins.trim().length);
  const { text } = same;
  if (REST.test(text) || text.trim().length >= COINCIDENCE * Math.min(weight(a), weight(b))) return false;
  out.splice(-3, 3, { kind: "changed", del: a.del + text + b.del, ins: a.ins + text + b.ins });
  return true;
}

function stretches(changes: readonly Change[]): Stretch[] {
  const out: Stretch[] = [];
  for (const { added, removed, value } of changes) {
    const last = out.at(-1);
    if (!added && !removed) out.push({ kind: "same", text: value });
    else {
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

/** A cell of the table takes some nanoseconds: beyond so many the words are counted instead. */
const MAX_CELLS = 2_000_000;

/**
 * How much of the older text lies behind what is written so far: the beginning of it that is fewest words away from that, of
 * equals the one with as many words. It is the last row of an edit distance whose end in the older text is free (Peter
 * Sellers, "The Theory and Computation of Evolutionary Distances", 1980).
 */
function splitReached(before: string, after: string): { before: string; later: string } {
  const words = [...before.matchAll(/\S+\s*/g)];
  const written = after.match(/\S+/g) ?? [];
  const count = nearestBeginning(
    words.map(([word]) => word.trimEnd()),
    written,
  );
  const end = words[count]?.index ?? before.length;
  return { before: before.slice(0, end), later: before.slice(end) };
}

/** How many of the first `words` are the fewest insertions, deletions and replacements away from all that is `written`. */
function nearestBeginning(words: readonly string[], written: readonly string[]): number {
  const most = Math.min(words.length, written.length);
  if (words.length * written.length > MAX_CELLS) return most;
  let row = Uint32Array.from({ length: words.length + 1 }, (_, i) => i);
  for (const [i, word] of written.entries()) {
    const next = new Uint32Array(row.length);
    next[0] = i + 1;
    for (let j = 1; j < row.length; j += 1) {
      const replaced = at(row, j - 1) + (words[j - 1] === word ? 0 : 1);
      next[j] = Math.min(replaced, at(row, j) + 1, at(next, j - 1) + 1);
    }
    row = next;
  }
  let nearest = most;
  for (const [j, distance] of row.entries()) if (distance < at(row, nearest)) nearest = j;
  return nearest;
}

const at = (row: Uint32Array, index: number): number => row[index] ?? Number.POSITIVE_INFINITY;

/** Folds whole unchanged paragraphs, keeping the ones that touch a change. */
function fold(text: string, changeBefore: boolean, changeAfter: boolean): DiffPiece[] {
  const paragraphs = text.split(/(?<=\n\s*\n)/);
  // Without any change there is nothing to stand out from: show the text.
  if (!changeBefore && !changeAfter) return [piece("same", text)];
  const from = changeBefore ? 1 : 0;
  const to = changeAfter ? paragraphs.length - 1 : paragraphs.length;
  const middle = paragraphs.slice(from, to);
  if (middle.length === 0) return [piece("same", text)];
  const hidden: DiffPiece = { kind: "fold", text: middle.join(""), paragraphs: middle.length };
  return [
    piece("same", paragraphs.slice(0, from).join("")),
    hidden,
    piece("same", paragraphs.slice(to).join("")),
  ].filter((p) => p.text !== "");
}
