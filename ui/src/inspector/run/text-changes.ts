// The changes between two texts. Words are compared directly if that is fast enough; otherwise lines and
// sentences are compared first. Pure.
import { type Change, diffWords } from "diff";

export type TextChanges = {
  readonly changes: readonly Change[];
  /**
   * Whether some stretches are reported as replaced completely, because comparing their words would take too
   * long.
   */
  readonly coarse: boolean;
};

/** The time limit of a comparison, in milliseconds, so that the window stays responsive. */
const MAX_COMPARE_MS = 120;
/**
 * The share of the remaining time that the words of one stretch may use, so that later ones are compared too.
 */
const SHARE = 1 / 3;
/** The maximum total length of both texts, in characters, for a direct comparison of all their words. */
const MAX_CHARACTERS_AT_ONCE = 40_000;

/**
 * The units of comparison, from large to small. Sentences are used for text without line breaks or with very
 * long lines.
 */
const UNITS: readonly ((text: string) => string[])[] = [
  (text) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [],
  (text) => text.match(/[\s\S]*?(?:[.!?…:;]\s+|\n|$)/g)?.filter((unit) => unit !== "") ?? [],
];

/**
 * Returns the unchanged, added and removed stretches. Myers' algorithm (1986) takes time in proportion to the
 * differences, so comparing only words exceeds the limit for heavily rewritten drafts. Therefore equal lines,
 * and equal sentences between them, first divide the texts into stretches whose words can be compared. The
 * unchanged and added stretches together are exactly `after`. The unchanged and removed stretches together
 * are `before` except for whitespace, which is not compared. The comparison takes little longer than `mostMs`
 * milliseconds.
 */
export function textChanges(before: string, after: string, mostMs = MAX_COMPARE_MS): TextChanges {
  const until = performance.now() + mostMs;
  const ends = sharedEnds(before, after);
  const { changes, coarse } = compare(ends.inside(before), ends.inside(after), UNITS, until);
  return { changes: [...stayed(ends.start), ...changes, ...stayed(ends.end)], coarse };
}

function compare(before: string, after: string, units: typeof UNITS, until: number): TextChanges {
  if (before === "" || after === "") return { changes: replaced(before, after), coarse: false };
  const [split, ...smaller] = units;
  if (split === undefined || before.length + after.length <= MAX_CHARACTERS_AT_ONCE) {
    const timeout = (until - performance.now()) * SHARE;
    const changes = timeout > 0 ? wordChanges(before, after, timeout) : undefined;
    if (changes !== undefined) return { changes, coarse: false };
    if (split === undefined) return { changes: replaced(before, after), coarse: true };
  }
  const [from, to] = [split(before), split(after)];
  const changes: Change[] = [];
  let coarse = false;
  let [i, j] = [0, 0];
  const add = (untilI: number, untilJ: number) => {
    const inner = compare(from.slice(i, untilI).join(""), to.slice(j, untilJ).join(""), smaller, until);
    coarse ||= inner.coarse;
    changes.push(...inner.changes);
  };
  for (const anchor of anchors(from, to)) {
    add(anchor.i, anchor.j);
    changes.push(...stayed(to[anchor.j] ?? ""));
    [i, j] = [anchor.i + 1, anchor.j + 1];
  }
  add(from.length, to.length);
  return { changes, coarse };
}

/**
 * Letters that replace apostrophes within words, so that the library does not split words such as "don't".
 */
const APOSTROPHES = [
  ["'", "\u01ba"],
  ["\u2019", "\u01aa"],
] as const;
const WITHIN_WORD = /(?<=\p{L})['\u2019](?=\p{L})/gu;

const asLetters = (text: string): string =>
  text.replace(WITHIN_WORD, (mark) => APOSTROPHES.find(([sign]) => sign === mark)?.[1] ?? mark);

const asWritten = (text: string): string =>
  APOSTROPHES.reduce((written, [sign, letter]) => written.replaceAll(letter, sign), text);

function wordChanges(before: string, after: string, timeout: number): Change[] | undefined {
  // Text that already contains these letters could not be restored.
  const hasLetters = APOSTROPHES.some(([, letter]) => before.includes(letter) || after.includes(letter));
  if (hasLetters) return diffWords(before, after, { timeout });
  const changes = diffWords(asLetters(before), asLetters(after), { timeout });
  return changes?.map((change) => ({ ...change, value: asWritten(change.value) }));
}

/**
 * A unit that occurs in both texts, and its position in each. `previous` is the anchor before this one in the
 * longest common sequence that ends here.
 */
interface Anchor {
  readonly i: number;
  readonly j: number;
  readonly previous: Anchor | undefined;
}

/**
 * Returns the positions of the units that occur exactly once in each text and belong to the longest sequence
 * with the same order in both. This is the longest increasing subsequence, found by patience sorting as in
 * Bram Cohen's patience diff (2006).
 */
function anchors(from: readonly string[], to: readonly string[]): Anchor[] {
  const there = once(from);
  const piles: Anchor[] = [];
  for (const [unit, j] of once(to)) {
    const i = there.get(unit);
    if (i === undefined) continue;
    let [low, high] = [0, piles.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((piles[middle]?.i ?? 0) < i) low = middle + 1;
      else high = middle;
    }
    piles[low] = { i, j, previous: piles[low - 1] };
  }
  const row: Anchor[] = [];
  for (let at = piles.at(-1); at !== undefined; at = at.previous) row.push(at);
  return row.reverse();
}

/** Returns the units that occur exactly once in the text, in order, with their positions. */
function once(units: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  const again = new Set<string>();
  for (const [place, unit] of units.entries()) {
    if (places.has(unit)) again.add(unit);
    else places.set(unit, place);
  }
  for (const unit of again) places.delete(unit);
  return places;
}

/**
 * Separates the lines that both texts share at their beginning and end, so that in a long text only the
 * changed part is compared.
 */
function sharedEnds(before: string, after: string) {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  const whole = head === before.length && head === after.length;
  const start = whole || head === 0 ? head : before.lastIndexOf("\n", head - 1) + 1;
  let tail = 0;
  while (tail < most - start && before[before.length - 1 - tail] === after[after.length - 1 - tail])
    tail += 1;
  const line = before.indexOf("\n", before.length - tail) + 1;
  const end = tail === 0 || line === 0 ? 0 : before.length - line;
  return {
    start: before.slice(0, start),
    end: end === 0 ? "" : before.slice(-end),
    inside: (text: string) => text.slice(start, text.length - end),
  };
}

const stayed = (text: string): Change[] =>
  text === "" ? [] : [{ value: text, added: false, removed: false, count: 1 }];

function replaced(before: string, after: string): Change[] {
  const changes = [
    { value: before, added: false, removed: true, count: 1 },
    { value: after, added: true, removed: false, count: 1 },
  ];
  return changes.filter(({ value }) => value !== "");
}
