// The loop that is compared, defined once for all systems: its text, its expected result, and its flow for
// this program.
import { node, wire } from "../lib/measured.mjs";

/**
 * A typical loop prompt of 1 KB: mostly the same words, with the two counters of the loop in many places, so
 * that the text differs in every iteration. `<count>` and `<total>` stand for the counters; each system
 * replaces them by its own syntax.
 */
const TEXT = [
  "Attempt <count>. The attempts before this one add up to <total>.",
  "You revise the notes of a harbour office. Keep every figure, name every ship once, and leave out what the reader knows.",
  "Attempt <count> begins with the notes that attempt <count> was given; <total> is what the ledger has so far.",
  "First, list the ships that came in with the morning tide, with the berth that each of them took and the hour it took it.",
  "Second, say which of them waited for a pilot, for how long, and whether the office was told before the ship was in sight.",
  "Third, compare the cargo that was landed with the papers. Entry <count> of the ledger must agree with a sum of <total>.",
  "Fourth, write one paragraph for the harbour master. It may have five sentences and no list, and it ends with the weather.",
  "If a figure is missing, write that it is missing. Do not guess it from the day before, and do not leave the line out.",
  "A reader who sees attempt <count> alone must understand it, without the other attempts and without the sum of <total>.",
  "End with the words: attempt <count>, ledger <total>.",
].join("\n");

/** Returns the text, with each counter replaced by what `write` returns for it. */
export const textWith = (write) => TEXT.replace(/<(count|total)>/g, (_, name) => write(name));

/**
 * Returns the expected result of the last iteration: in iteration n, `count` is n and `total` the sum of 1 to
 * n - 1.
 */
export function expected(iterations) {
  const state = { count: iterations, total: (iterations * (iterations - 1)) / 2 };
  return { ...state, text: textWith((name) => state[name]) };
}

/** Returns the loop as a flow of this program. The number of iterations is its input `rounds`. */
export function flow() {
  return {
    schemaVersion: 1,
    name: "Loop of the comparison",
    settings: { maxIterationsCeiling: 1000 },
    nodes: [
      node("rounds", "input", { name: "rounds", dataType: "number", default: 1000 }),
      node("loop", "loop", {
        maxIterations: 1000,
        exitCondition: "evaluator",
        feedbackMode: "variables",
        variables: [
          { name: "count", initial: 1, next: "{{ vars.count + 1 }}" },
          { name: "total", initial: 0, next: "{{ vars.total + vars.count }}" },
        ],
      }),
      node("render", "transform", { template: textWith((name) => `{{ vars.${name} }}`) }),
      node("pass", "transform", { template: "{{ input }}" }),
      node("decide", "router", {
        mode: "rules",
        branches: [{ name: "done", when: "vars.count >= run.inputs.rounds" }, { name: "continue" }],
        fallback: "continue",
      }),
      node("exit", "exit"),
      // One line with the final counters of the loop, and then the last text.
      node("report", "transform", { template: "{{ loop.count }} {{ loop.exitReason }}\n{{ input }}" }),
      node("out", "output", { name: "result" }),
    ],
    edges: [
      wire("rounds", "value", "loop", "input"),
      wire("loop", "body", "render", "input"),
      wire("render", "output", "pass", "input"),
      wire("pass", "output", "decide", "input"),
      wire("decide", "done", "exit", "input"),
      wire("exit", "output", "report", "input"),
      wire("report", "output", "out", "value"),
    ],
  };
}
