// The flows of the torture tests, and the expected outputs of their runs. A prompt begins with
// `[TOPIC|STEP]`, which identifies the run and the call.
import { node, wire } from "../lib/measured.mjs";
import { answerTo } from "./models.mjs";

const model = (prompt, more) => ({
  provider: "openai",
  model: "test",
  temperature: 0,
  maxTokens: 20,
  prompt,
  ...more,
});

/** Returns the run and the step that a prompt names. */
export function placeOf(prompt) {
  const [, topic, step] = /^\[([^|]+)\|(\d+)\]/.exec(prompt) ?? [];
  if (topic === undefined) throw new Error(`a prompt that no flow of this test has: ${prompt.slice(0, 200)}`);
  return { topic, step: Number(step) };
}

/** A flow that drafts a text repeatedly: one call after another. */
export const drafts = {
  flow: (iterations) => ({
    schemaVersion: 1,
    name: "Drafts",
    nodes: [
      node("in", "input", { name: "topic" }),
      node("refine", "loop", {
        maxIterations: iterations,
        exitCondition: "max_iterations",
        feedbackMode: "replace",
      }),
      node("draft", "llm", model("[{{ run.inputs.topic }}|{{ loopIndex + 1 }}] Draft it: {{ input }}")),
      node("exit", "exit"),
      node("out", "output", { name: "text" }),
    ],
    edges: [
      wire("in", "value", "refine", "input"),
      wire("refine", "body", "draft", "prompt"),
      wire("draft", "response", "exit", "input"),
      wire("exit", "output", "out", "value"),
    ],
  }),
  path: (step) => `refine[${step}]/draft`,
  expected(topic, iterations) {
    let text = topic;
    for (let step = 1; step <= iterations; step += 1) text = answerTo(`[${topic}|${step}] Draft it: ${text}`);
    return text;
  },
};

/** A flow that generates the parts of a text with parallel calls. */
export const parts = {
  flow: (count) => ({
    schemaVersion: 1,
    name: "Parts",
    nodes: [
      node("in", "input", { name: "topic" }),
      node("list", "transform", {
        template: `{{ [${Array.from({ length: count }, (_, at) => at + 1).join(", ")}] }}`,
      }),
      node("each", "iterator", { concurrency: 3 }),
      node("part", "llm", model("[{{ run.inputs.topic }}|{{ input }}] Write this part.")),
      node("gather", "aggregator", { mode: "array" }),
      node("out", "output", { name: "text" }),
    ],
    edges: [
      wire("in", "value", "list", "input"),
      wire("list", "output", "each", "items"),
      wire("each", "item", "part", "prompt"),
      wire("part", "response", "gather", "input"),
      wire("gather", "output", "out", "value"),
    ],
  }),
  path: (step) => `each[${step}]/part`,
  expected: (topic, count) =>
    Array.from({ length: count }, (_, at) => answerTo(`[${topic}|${at + 1}] Write this part.`)),
};
