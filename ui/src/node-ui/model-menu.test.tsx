// The model on the card of a node: its price, what must be set up to use it, and a choice in the menu, which
// is one undo step.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../components/testing";
import { useDocument } from "../document/document";
import { replaceBackend } from "../ipc/client";
import type { FlowDoc } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { bareProvider } from "../ipc/testing/providers";
import { priceWith } from "../ipc/testing/values";
import { usePrices } from "../runs/inputs/prices";
import { useProviders } from "../runs/inputs/providers";
import { useSession } from "../session/session";
import { ModelMenu } from "./ModelMenu";

const page = pageForEach();
const flow = (data: Record<string, unknown>): FlowDoc => ({
  name: "A",
  nodes: [{ id: "draft", type: "llm", position: { x: 0, y: 0 }, data }],
  edges: [],
});

function Card() {
  const data = useDocument((s) => s.document.nodes[0]?.data ?? {});
  return <ModelMenu node="draft" data={data} />;
}

// The list is long enough for a search field.
const entries = () => [...document.querySelectorAll<HTMLElement>('[role="listbox"] [role="option"]')];
const button = () => page.host.querySelector<HTMLElement>("button");
const open = async () => {
  await act(async () => button()?.click());
  await act(() => new Promise((done) => setTimeout(done, 5)));
};
const press = (words: string) =>
  act(async () =>
    entries()
      .find((one) => one.textContent?.includes(words))
      ?.click(),
  );
const data = () => useDocument.getState().document.nodes[0]?.data;

async function show(settings: Record<string, unknown>) {
  useDocument.getState().open({ document: flow(settings), path: null, version: null });
  await act(async () => page.root.render(<Card />));
}

beforeEach(async () => {
  const backend = testBackend();
  const price = priceWith({ provider: "ollama", model: "*", input: 2, output: 8 });
  replaceBackend({
    ...backend,
    prices: async () => ({ ...(await backend.prices()), prices: [price] }),
  });
  await useProviders.getState().load();
  await usePrices.getState().load();
  useSession.setState({ view: "editor", layout: "edit" });
});

test("it lists the default, models that work with prices, and what needs a key", async () => {
  await show({ builtin: "reviser" });
  expect(button()?.getAttribute("aria-label")).toBe("Model: Built-in reviser");
  await open();
  expect(entries().map((one) => one.textContent)).toEqual([
    "Default (Built-in models)Built-in models: ready",
    ...bareProvider("builtin").models.map(
      ({ name, does }) => `${name}${does.replace(/\.$/, "").replaceAll("`", "")} · free`,
    ),
    "gpt-4.1-mini$2 in, $8 out per million tokens",
    "llama3.2:3b$2 in, $8 out per million tokens",
    "OpenAIneeds a key",
    "Anthropicneeds a key",
    "Geminineeds a key",
    "Azure OpenAIneeds an address",
    "OpenAI-compatibleneeds an address",
    "LM Studionot running",
    "llama-servernot running",
    "Providers and keys…",
  ]);
  expect(document.querySelector('[aria-label="chosen"]')?.closest('[role="option"]')).toBe(entries()[0]);
});

test("texts with code are plain in the menu and in the tooltip", async () => {
  await show({ builtin: "judge" });
  expect(bareProvider("builtin").models.find(({ name }) => name === "Built-in judge")?.does).toContain(
    "`done`",
  );
  const shown = "Chooses done if a chain of sentences";
  expect(button()?.getAttribute("data-tip")).toContain(shown);
  await open();
  expect(entries().some((one) => one.textContent?.includes(shown))).toBe(true);
});

test("a press chooses it in one step of the history, and the default takes it back", async () => {
  await show({ builtin: "reviser", prompt: "Hi" });
  await open();
  await press("llama3.2:3b");
  expect(data()).toEqual({ builtin: "reviser", prompt: "Hi", provider: "ollama", model: "llama3.2:3b" });
  await act(async () => useDocument.getState().undo());
  expect(data()).toEqual({ builtin: "reviser", prompt: "Hi" });
  await act(async () => useDocument.getState().redo());
  await open();
  expect(document.querySelector('[aria-label="chosen"]')?.closest('[role="option"]')?.textContent).toContain(
    "llama3.2:3b",
  );
  await press("Default");
  expect(data()).toEqual({ builtin: "reviser", prompt: "Hi" });
});

test("a provider without a key says so on the card, and its entry opens the settings", async () => {
  await show({ provider: "openai", model: "gpt-4.1" });
  expect(button()?.textContent).toBe("gpt-4.1 needs a key");
  // The accessible label starts with the visible text.
  expect(button()?.getAttribute("aria-label")).toBe("Model: gpt-4.1 needs a key");
  await open();
  await press("OpenAI");
  expect(useSession.getState().view).toBe("settings");
  expect(data()).toEqual({ provider: "openai", model: "gpt-4.1" });
});

test("Tab comes to it on the selected card alone", async () => {
  useSession.getState().select([]);
  await show({ builtin: "reviser" });
  expect(button()?.tabIndex).toBe(-1);
  await act(async () => useSession.getState().select(["draft"]));
  expect(button()?.tabIndex).toBe(0);
});

test("while a run is shown the model is only said", async () => {
  useSession.setState({ layout: "run" });
  await show({ builtin: "reviser" });
  expect(button()).toBeNull();
  expect(page.host.textContent).toBe("Built-in reviser");
});
