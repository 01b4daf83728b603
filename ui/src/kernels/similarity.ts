// The similarity of two texts, for a chart: 1 − Levenshtein distance ÷ the longer length, as in the engine.
// Pure. Decisions use only the engine's values; this computation fills gaps in the chart.

/** The number of Unicode scalar values of each text that are compared, as in the engine. */
const COMPARED = 10_000;

/** Returns the similarity of two texts, from 0 to 1. Two empty texts have the similarity 1. */
export function similarity(a: string, b: string): number {
  const left = pointsOf(a);
  const right = pointsOf(b);
  const longer = Math.max(left.length, right.length);
  return longer === 0 ? 1 : 1 - distance(left, right) / longer;
}

function pointsOf(text: string): Uint32Array {
  const points: number[] = [];
  for (const character of text) {
    if (points.length === COMPARED) break;
    points.push(character.codePointAt(0) ?? 0);
  }
  return Uint32Array.from(points);
}

/** The number of table rows in one machine word. */
const WORD = 32;

/**
 * Returns the Levenshtein distance, computed 32 rows at a time. Each bit of a word says whether two
 * neighbouring cells of the table differ by one. Algorithm: Myers, "A fast bit-vector algorithm for
 * approximate string matching based on dynamic programming" (J. ACM 46, 1999), with Hyyrö's correction for
 * the distance of whole texts.
 */
function distance(a: Uint32Array, b: Uint32Array): number {
  let begin = 0;
  let aEnd = a.length;
  let bEnd = b.length;
  // The common beginning and end are skipped, since two drafts are mostly the same at both ends.
  while (begin < aEnd && begin < bEnd && a[begin] === b[begin]) begin += 1;
  while (aEnd > begin && bEnd > begin && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd -= 1;
    bEnd -= 1;
  }
  const [rows, columns] = [a.subarray(begin, aEnd), b.subarray(begin, bEnd)];
  const letters = new Map<number, number>();
  const letterOf = (point: number) => letters.get(point) ?? 0;
  for (const point of rows) if (!letters.has(point)) letters.set(point, letters.size + 1);
  const text = columns.map(letterOf);
  const masks = new Int32Array(letters.size + 1);
  // The difference between each cell of the current last row and the cell to its left.
  const steps = new Int8Array(text.length).fill(1);
  for (let start = 0; start < rows.length; start += WORD) {
    const block = rows.subarray(start, start + WORD);
    masks.fill(0);
    for (const [i, point] of block.entries())
      masks[letterOf(point)] = (masks[letterOf(point)] ?? 0) | (1 << i);
    passBlock(masks, 1 << (block.length - 1), text, steps);
  }
  return steps.reduce((sum, step) => sum + step, rows.length);
}

/** Advances `steps` from the row above a block of rows to the block's last row, whose bit is `last`. */
function passBlock(masks: Int32Array, last: number, text: Uint32Array, steps: Int8Array): void {
  let up = -1;
  let down = 0;
  for (let column = 0; column < text.length; column += 1) {
    const step = steps[column] ?? 0;
    const more = step > 0 ? 1 : 0;
    const less = step < 0 ? 1 : 0;
    const mask = masks[text[column] ?? 0] ?? 0;
    const same = mask | less;
    const vertical = mask | down;
    const horizontal = (((same & up) + up) ^ up) | same;
    let rise = down | ~(horizontal | up);
    let fall = up & horizontal;
    steps[column] = (rise & last) !== 0 ? 1 : (fall & last) !== 0 ? -1 : 0;
    rise = (rise << 1) | more;
    fall = (fall << 1) | less;
    up = fall | ~(vertical | rise);
    down = rise & vertical;
  }
}
