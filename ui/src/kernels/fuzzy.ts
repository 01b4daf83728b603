// Scores how well typed letters match a name. The letters must occur in order; matches at word starts or in
// sequence score best. Pure.

export interface Match {
  /** The score; larger is better. Scores of different names can be compared if the query is the same. */
  score: number;
  /** The positions of the letters in the name, in UTF-16 units, ascending. */
  at: readonly number[];
}

const IN_A_ROW = 8;
const AT_WORD = 10;
const AT_START = 4;
/**
 * The penalty for each letter that is skipped between two matches, or before the first one (for at most 12
 * letters).
 */
const GAP = 0.4;

const beginsWord = (text: string, i: number): boolean => {
  if (i === 0) return true;
  const [before = "", here = ""] = [text[i - 1], text[i]];
  return /[\s\-_/.:>]/.test(before) || (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(here));
};

/** Returns the best match of one word of the query; null if it does not match. */
function fitWord(word: string, text: string, lower: string): Match | null {
  // best[j] is the best match of the letters so far with the last of them at j.
  let best = new Map<number, Match>();
  for (const [i, letter] of [...word].entries()) {
    const next = new Map<number, Match>();
    for (let j = lower.indexOf(letter); j >= 0; j = lower.indexOf(letter, j + 1)) {
      const bonus = beginsWord(text, j) ? AT_WORD + (j === 0 ? AT_START : 0) : 0;
      if (i === 0) {
        next.set(j, { score: bonus - Math.min(j, 12) * GAP, at: [j] });
        continue;
      }
      let found: Match | null = null;
      for (const [k, before] of best) {
        if (k >= j) continue;
        const gap = j - k - 1;
        const score = before.score + (gap === 0 ? IN_A_ROW : bonus - gap * GAP);
        if (found === null || score > found.score) found = { score, at: [...before.at, j] };
      }
      if (found) next.set(j, found);
    }
    if (next.size === 0) return null;
    best = next;
  }
  return [...best.values()].reduce((a, b) => (b.score > a.score ? b : a));
}

/**
 * Returns the match of a query with a string; null if a word of the query does not match. An empty query
 * matches every text, and shorter texts score better.
 */
export function fuzzy(query: string, text: string): Match | null {
  const lower = text.toLowerCase();
  let score = 0;
  const at = new Set<number>();
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const match = fitWord(word, text, lower);
    if (match === null) return null;
    score += match.score;
    for (const i of match.at) at.add(i);
  }
  return { score: score - text.length * 0.02, at: [...at].sort((a, b) => a - b) };
}
