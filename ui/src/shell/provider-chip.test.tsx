// The menu of models next to Run.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../components/testing";
import { replaceBackend } from "../ipc/client";
import { testBackend } from "../ipc/testing";
import { useProviders } from "../runs/inputs/providers";
import { useSession } from "../session/session";
import { ProviderChip } from "./ProviderChip";

const page = pageForEach();
const model = (id: string) => ({ id, name: id, does: "", cannot: "" });

const entries = () => [...document.querySelectorAll<HTMLElement>('[role="menu"] [role="menuitem"]')];
const open = () => act(async () => page.host.querySelector<HTMLElement>("button")?.click());
const press = (words: string) =>
  act(async () =>
    entries()
      .find((one) => one.textContent?.includes(words))
      ?.click(),
  );

beforeEach(async () => {
  replaceBackend(testBackend());
  await useProviders.getState().load();
  useSession.getState().show("editor");
  await act(async () => page.root.render(<ProviderChip />));
});

test("it lists what can answer, and a press chooses it", async () => {
  expect(page.host.textContent).toBe("Built-in models (no key)");
  await open();
  expect(entries().map((one) => one.textContent)).toEqual([
    "Built-in modelsfree, no key or network needed",
    "gpt-4.1-minifree",
    "llama3.2:3bfree",
    "OpenAIneeds a key",
    "Anthropicneeds a key",
    "Geminineeds a key",
    "Azure OpenAIneeds an address",
    "OpenAI-compatibleneeds an address",
    "LM Studionot running",
    "llama-servernot running",
    "Providers and keys…",
  ]);
  expect(document.querySelector('[aria-label="chosen"]')?.closest('[role="menuitem"]')).toBe(entries()[0]);
  await press("llama3.2:3b");
  expect(useProviders.getState().settings).toMatchObject({ provider: "ollama", model: "llama3.2:3b" });
  expect(page.host.textContent).toBe("Ollama · llama3.2:3b");
});

test("where no model is chosen, it shows the one that answers", async () => {
  const backend = testBackend();
  replaceBackend({
    ...backend,
    providers: async () =>
      (await backend.providers()).map((one) =>
        one.id === "openai"
          ? { ...one, ready: true, state: "ready" as const, models: [model("gpt-4.1-mini"), model("o4")] }
          : one,
      ),
  });
  await act(() => useProviders.getState().save({ provider: "openai", model: null }));
  await act(() => useProviders.getState().load());
  expect(page.host.textContent).toBe("OpenAI · gpt-4.1-mini");
  await open();
  const chosen = document.querySelector('[aria-label="chosen"]')?.closest('[role="menuitem"]');
  expect(chosen?.textContent).toContain("gpt-4.1-mini");
});

test("a model that needs a key opens its settings", async () => {
  await open();
  await press("OpenAI");
  expect(useSession.getState().view).toBe("settings");
});
