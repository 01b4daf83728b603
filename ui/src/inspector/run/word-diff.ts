// The difference of two texts, word by word, in the pieces the diff view draws. Pure.
import { diffWords } from "diff";

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
  const pieces: DiffPiece[] =
    changes === undefined
      ? [piece("del", reached.before), piece("ins", after)].filter((p) => p.text !== "")
      : changes.map((c) => piece(c.added ? "ins" : c.removed ? "del" : "same", c.value));
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

function piece(kind: "same" | "ins" | "del" | "later", text: string): DiffPiece {
  return { kind, text };
}

export function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}]+(?:[’'-][\p{L}\p{N}]+)*/gu)?.length ?? 0;
}

/** How much of the older text lies behind what is written so far: as many words as the newer one has. */
function splitReached(before: string, after: string): { before: string; later: string } {
  const written = after.match(/\S+/g)?.length ?? 0;
  const words = /\S+\s*/g;
  let end = 0;
  for (let n = 0; n < written; n += 1) {
    if (words.exec(before) === null) return { before, later: "" };
    end = words.lastIndex;
  }
  return { before: before.slice(0, end), later: before.slice(end) };
}

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
