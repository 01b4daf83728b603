// How full the context is: the test cases shared with the command line, and the prompts of a folded run.
// @vitest-environment node
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  loopContext,
  modelsOf,
  type Prompt,
  promptsOf,
  promptWords,
  shortTokens,
  tooLongWords,
} from "./context";
import type { LoopRecord } from "./model";
import { foldAll } from "./reduce";
import {
  type Body,
  calls,
  completed,
  events,
  iteration,
  iterationDone,
  runStarted,
  started,
} from "./samples";

const CASES = path.resolve(
  import.meta.dirname,
  "../../../../src-tauri/crates/records/src/context_cases.json",
);

type Case = {
  name: string;
  calls: [number, string, string | null, number][];
  current: number;
  running: boolean;
  total: number | null;
  open: boolean;
  windows: Record<string, number>;
  iterations: object[];
  warning: string | null;
};
const cases: Case[] = JSON.parse(readFileSync(CASES, "utf8"));

test.each(cases.map((one) => [one.name, one] as const))("%s, as in Rust", (_, one) => {
  const prompts = new Map<number, Map<string, Prompt>>();
  for (const [number, node, model, tokens] of one.calls) {
    const of = prompts.get(number) ?? new Map<string, Prompt>();
    if (tokens > (of.get(node)?.tokens ?? -1)) of.set(node, { tokens, model });
    prompts.set(number, of);
  }
  const { current, running, total, open } = one;
  const loop = { prompts, current, running, total, open };
  const context = loopContext(loop, (model) => one.windows[model] ?? null);
  // In JSON an estimate is marked, and other prompts are not.
  const shown = context.iterations.map(({ estimated, ...rest }) =>
    estimated ? { ...rest, estimated } : rest,
  );
  expect(shown).toEqual(one.iterations);
  expect(context.tooLong && tooLongWords(context.tooLong)).toBe(one.warning);
});

const usage = (tokens: number) => ({ ...calls(1), longest_prompt: tokens });
const call = (at: string, tokens: number, model = "openai/gpt-4o"): Body[] => [
  started(at),
  completed(at, { usage: usage(tokens), model }),
];
const loopOf = (bodies: Body[]): LoopRecord => {
  const loop = foldAll("r1", events("r1", [runStarted(), started("refine", 5), ...bodies])).root.steps.refine
    ?.loop;
  if (!loop) throw new Error("no loop");
  return loop;
};

describe("the prompts of a folded run", () => {
  test("are those of its steps, by iteration", () => {
    const loop = loopOf([
      iteration("refine", 0, 5),
      ...call("refine[1]/draft", 900),
      ...call("refine[1]/critique", 400, "ollama/llama3.2"),
      iterationDone("refine", 0, { usage: usage(900) }),
      iteration("refine", 1, 5),
      ...call("refine[2]/draft", 1400),
    ]);
    const prompts = promptsOf(loop, true);
    expect(prompts).toMatchObject({ current: 2, running: true, total: 5, open: true });
    expect(prompts.prompts.get(1)?.get("critique")).toEqual({ tokens: 400, model: "ollama/llama3.2" });
    expect(prompts.prompts.get(2)?.get("draft")?.tokens).toBe(1400);
    expect(modelsOf(prompts)).toEqual(["ollama/llama3.2", "openai/gpt-4o"]);
    expect(loop.iterations[0]?.usage.longest_prompt).toBe(900);
  });

  test("are known of steps in inner loops and subflows", () => {
    const loop = loopOf([
      iteration("refine", 0, 5),
      started("refine[1]/inner", 2),
      iteration("refine[1]/inner", 0, 2),
      ...call("refine[1]/inner[1]/draft", 300),
      iteration("refine[1]/inner", 1, 2),
      ...call("refine[1]/inner[2]/draft", 500),
      started("refine[1]/polish"),
      ...call("refine[1]/polish/draft", 200),
      completed("refine[1]/polish", { usage: usage(200) }),
    ]);
    const found = promptsOf(loop, true).prompts.get(1);
    expect([...(found ?? [])].map(([node, { tokens }]) => [node, tokens])).toEqual([
      ["inner/draft", 500],
      ["polish/draft", 200],
    ]);
  });

  test("without a reported size there are none", () => {
    const loop = loopOf([
      iteration("refine", 0, 5),
      started("refine[1]/draft"),
      completed("refine[1]/draft", { usage: calls(1) }),
    ]);
    expect(promptsOf(loop, true).prompts.size).toBe(0);
  });

  test("of an evicted iteration only the longest is known", () => {
    const loop = loopOf([
      iteration("refine", 0, 5),
      ...call("refine[1]/draft", 900),
      iterationDone("refine", 0, { usage: usage(900) }),
    ]);
    const evicted = {
      ...loop,
      iterations: loop.iterations.map((one) => ({ ...one, scope: { steps: {} }, unread: true })),
    };
    expect([...(promptsOf(evicted, false).prompts.get(1) ?? [])]).toEqual([
      ["", { tokens: 900, model: null }],
    ]);
  });
});

test("sizes are formatted in words, and in little space", () => {
  expect(promptWords(12_431, 128_000)).toBe("12,431 of 128,000 tokens (10%)");
  expect(promptWords(12_431, null)).toBe("12,431 tokens");
  expect([812, 1_000, 12_431, 99_949, 99_950, 131_000, 999_499, 999_500, 1_047_576].map(shortTokens)).toEqual(
    [...["812", "1.0k", "12.4k", "99.9k", "100k", "131k", "999k", "1.00M", "1.05M"]],
  );
});
