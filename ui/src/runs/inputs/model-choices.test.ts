// The models to choose from, with prices, and the servers whose model lists are requested.
import { beforeEach, expect, test, vi } from "vitest";
import { replaceBackend } from "../../ipc/client";
import type { Price, ProviderInfo } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { priceWith, providerInfo } from "../../ipc/testing/values";
import { findModels, modelChoices, modelTooltip } from "./model-choices";
import { priceOf, priceWords } from "./prices";

const model = (id: string, does = "") => ({ id, name: id, does, cannot: "" });
const provider = (id: string, more: Partial<ProviderInfo> = {}): ProviderInfo =>
  providerInfo(id, { name: id.toUpperCase(), ...more });
const price = (of: string, name: string, input: number, output: number, own = false): Price =>
  priceWith({ provider: of, model: name, input, output, own });
const PRICES = [
  price("openai", "gpt-4.1", 9, 9, true),
  price("openai", "gpt-4.1", 2, 8),
  price("openai", "gpt-4.1-mini", 0.4, 1.6),
  price("ollama", "*", 0, 0),
  price("ollama", "big*", 1, 1),
];

beforeEach(() => replaceBackend(testBackend()));

test("a price is found as a run reckons it: own, exact, undated, by the longest beginning", () => {
  const found = (of: string, name: string) => priceWords(priceOf(PRICES, of, name));
  expect(found("openai", "gpt-4.1-2025-04-14")).toBe("$9 in, $9 out per million tokens");
  expect(found("openai", "models/gpt-4.1-mini")).toBe("$0.4 in, $1.6 out per million tokens");
  expect(found("ollama", "llama")).toBe("free");
  expect(found("ollama", "bigger")).toBe("$1 in, $1 out per million tokens");
  expect(found("openai", "gpt-4.1-super")).toBe("no known price");
});

test("a tooltip says what a model does and, in a new sentence, what it cannot do", () => {
  const critic = { id: "critic", name: "Critic", does: "Finds errors.", cannot: "It cannot judge facts." };
  expect(modelTooltip(critic, "builtin", PRICES)).toBe("Finds errors. It cannot judge facts.");
  expect(modelTooltip(model("gpt-4.1-mini"), "openai", PRICES)).toBe("$0.4 in, $1.6 out per million tokens");
});

test("what works comes first, with prices; what does not says what it needs", () => {
  const choices = modelChoices(
    [
      provider("gemini", { ready: false, state: "needs_key", status: "needs a key (GEMINI_API_KEY)" }),
      provider("builtin", { models: [model("drafter")] }),
      provider("openai", { models: [model("gpt-4.1-mini")] }),
      provider("local"),
    ],
    PRICES,
  );
  expect(choices.map(({ group, label, detail, model: name }) => [group, label, detail, name])).toEqual([
    ["BUILTIN · ready", "BUILTIN", "free, no key or network needed", null],
    ["OPENAI · ready", "gpt-4.1-mini", "$0.4 in, $1.6 out per million tokens", "gpt-4.1-mini"],
    ["LOCAL · ready", "LOCAL", "the model that each node names", null],
    ["Not set up", "GEMINI", "needs a key", null],
  ]);
});

test("a server that can be used is asked once for its models", async () => {
  const refreshModels = vi.fn(async () => []);
  replaceBackend({ ...testBackend(), refreshModels });
  const all = [provider("fresh"), provider("builtin"), provider("full", { models: [model("m")] })];
  await findModels([...all, provider("locked", { ready: false })]);
  await findModels(all);
  expect(refreshModels.mock.calls).toEqual([["fresh"]]);
});
