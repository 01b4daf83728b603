// Computes the table of the comparison from the measurements of single runs. Pure functions.
import { median } from "../lib/measured.mjs";

/**
 * The two numbers of iterations that are run. The difference of their times excludes the start and the end of
 * a program.
 */
export const [FEW, MANY] = [50, 1000];

/**
 * Returns the cost of an iteration: the difference between the medians of the long and the short runs. `runs`
 * has the measurements of each round under `FEW` and `MANY`; under `steady` it has the long runs whose steps
 * waited for the store. A missing measurement is NaN.
 */
export function figures(runs) {
  const of = (rounds, field) => median(runs[rounds].map((run) => run[field]));
  const each = (field) => (of(MANY, field) - of(FEW, field)) / (MANY - FEW);
  return {
    wall: each("ms") * 1000,
    cpu: each("cpuMs") * 1000,
    loop: each("loopMs") * 1000,
    python: each("pythonMs") * 1000,
    spread: spread(runs),
    store: each("store"),
    memory: of(MANY, "memory"),
    growth: middle(runs.steady, "lastMs") / middle(runs.steady, "firstMs"),
  };
}

/**
 * Returns a trimmed mean, without the smallest and the largest value. It is more precise than a median if
 * times are in whole milliseconds, as those of records are.
 */
function middle(runs, field) {
  const kept = runs
    .map((run) => run[field])
    .toSorted((a, b) => a - b)
    .slice(1, -1);
  return kept.reduce((all, one) => all + one, 0) / kept.length;
}

/** Returns the smallest and the largest wall time of an iteration over the individual rounds, in µs. */
function spread(runs) {
  const each = runs[MANY].map((run, round) => ((run.ms - runs[FEW][round].ms) * 1000) / (MANY - FEW));
  return [Math.min(...each), Math.max(...each)];
}

const CELLS = [
  "system",
  "wall µs",
  "least to most",
  "× here",
  "CPU µs",
  "× here",
  "loop alone µs",
  "store B",
  "× here",
  "peak MB",
  "last ÷ first 100",
];

/** The heading of the table. */
export const HEADING = `| ${CELLS.join(" | ")} |\n| --- |${" ---: |".repeat(CELLS.length - 1)}`;

/** Returns a line of the table; missing cells stay empty. */
export const line = (cells) => `| ${CELLS.map((_, index) => cells[index] ?? "").join(" | ")} |`;

/** Returns the cells of one system; `here` are the figures of this program. */
export function row(name, found, here) {
  const times = (value, base) => (value > 0 && base > 0 ? (value / base).toPrecision(3) : "");
  const known = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits) : "");
  const whole = (value) => known(value, value < 10 ? 1 : 0);
  return [
    name,
    whole(found.wall),
    found.spread.map(whole).join(" to "),
    times(found.wall, here.wall),
    whole(found.cpu),
    times(found.cpu, here.cpu),
    whole(found.loop),
    known(found.store, 0),
    times(found.store, here.store),
    known(found.memory, 0),
    known(found.growth, 2),
  ];
}

/** Describes how much of the wall time of an iteration the Python program itself uses, for the row `name`. */
export const pythonPart = (name, { python, wall }) =>
  `${name}: ${python.toFixed(2)} of ${wall.toFixed(1)} µs are Python's own`;
