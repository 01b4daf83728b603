// The models a run called, at any depth.
// @vitest-environment node
import { expect, test } from "vitest";
import { foldAll } from "../fold/reduce";
import { completed, events, iteration, runStarted, started } from "../fold/samples";
import { modelsIn } from "./models";

const run = (...models: (string | null)[]) =>
  foldAll(
    "r1",
    events("r1", [
      runStarted(),
      started("refine", 3),
      ...models.flatMap((model, i) => [
        iteration("refine", i),
        started(`refine[${i + 1}]/draft`),
        completed(`refine[${i + 1}]/draft`, { model }),
      ]),
    ]),
  );

test("names the one, without its provider", () => {
  expect(modelsIn(run("openai/gpt-4.1", "openai/gpt-4.1"))).toBe("gpt-4.1");
  expect(modelsIn(run("openrouter/meta/llama", null))).toBe("meta/llama");
});

test("counts others, and built-in ones as one", () => {
  expect(modelsIn(run("builtin/reviser", "builtin/critic"))).toBe("built-in models");
  expect(modelsIn(run("openai/a", "openai/b", "openai/c"))).toBe("a and 2 more");
});

test("says nothing where no model was called", () => {
  expect(modelsIn(run(null))).toBeNull();
});
