// How alike two texts are, for a chart: 1 − Levenshtein distance ÷ the longer length, as the engine measures it. Pure.
// The engine's own figures are what decides; this one fills the chart where it was not asked for any.

/** Unicode scalar values that are compared, as in the engine. */
const COMPARED = 10_000;

/** From 0 to 1; two empty texts are 1. */
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

function distance(a: Uint32Array, b: Uint32Array): number {
  let begin = 0;
  let aEnd = a.length;
  let bEnd = b.length;
  // Most of two drafts is the same at both ends.
  while (begin < aEnd && begin < bEnd && a[begin] === b[begin]) begin += 1;
  while (aEnd > begin && bEnd > begin && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd -= 1;
    bEnd -= 1;
  }
  const width = bEnd - begin;
  const row = Uint32Array.from({ length: width + 1 }, (_, i) => i);
  for (let i = begin; i < aEnd; i++) {
    let diagonal = row[0] ?? 0;
    row[0] = i - begin + 1;
    for (let j = 1; j <= width; j++) {
      const above = row[j] ?? 0;
      const same = a[i] === b[begin + j - 1] ? 0 : 1;
      row[j] = Math.min(above + 1, (row[j - 1] ?? 0) + 1, diagonal + same);
      diagonal = above;
    }
  }
  return row[width] ?? 0;
}
