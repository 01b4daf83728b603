// The model for prompts that name none: the field keeps every typed letter and offers the models that the
// server lists.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { choose, openList, pageForEach } from "../../components/testing";
import { replaceBackend } from "../../ipc/client";
import type { ModelInfo, Settings } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { useProviders } from "../../runs/inputs/providers";
import { DefaultModel } from "./DefaultModel";

const page = pageForEach();
const SLOW_MS = 20;
const later = (ms = SLOW_MS) => new Promise((done) => setTimeout(done, ms));
const named = (id: string): ModelInfo => ({ id, name: id, does: "", cannot: "" });

/** The models that the server lists. */
let models: ModelInfo[];
/** Makes the server answer its pending request. */
let answer = () => {};

function Shown() {
  const settings = useProviders((s) => s.settings);
  return settings && <DefaultModel settings={settings} />;
}
const field = () => page.host.querySelector<HTMLInputElement>("input.mono");
const list = (): HTMLElement => {
  const found = page.host.querySelector<HTMLElement>('#default-model[role="combobox"]');
  if (!found) throw new Error("the page has no list of models");
  return found;
};
const type = (letter: string) =>
  act(async () => {
    const input = field();
    if (document.activeElement !== input) throw new Error("the field has lost the focus");
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
    set?.call(input, (input?.value ?? "") + letter);
    input?.dispatchEvent(new Event("input", { bubbles: true }));
  });
const settings = () => useProviders.getState().settings;

beforeEach(async () => {
  const backend = testBackend();
  models = [];
  replaceBackend({
    ...backend,
    providers: async () =>
      (await backend.providers()).map((one) =>
        one.id === "openai" ? { ...one, ready: true, state: "ready", models } : one,
      ),
    // Saving is delayed as much as in a debug build.
    saveSettings: async (next: Settings) => {
      await later();
      return backend.saveSettings(next);
    },
    refreshModels: async () => {
      await new Promise<void>((done) => {
        answer = done;
      });
      models = [named("gpt-4.1"), named("gpt-4.1-mini")];
      return models;
    },
  });
  await backend.saveSettings({ ...(await backend.settings()), provider: "openai" });
});

test("letters that come faster than they are saved all stay, also when the list of the server arrives", async () => {
  await useProviders.getState().load();
  await act(async () => page.root.render(<Shown />));
  await act(async () => field()?.focus());
  for (const letter of "gpt-4.1") await type(letter);
  await act(async () => answer());
  // The text typed so far is the name of a listed model, but the user continues typing.
  await vi.waitFor(() => expect(list().dataset.value).toBe(" another"));
  for (const letter of "-mini-2") await type(letter);
  expect(field()?.value).toBe("gpt-4.1-mini-2");
  await act(async () => useProviders.getState().settled());
  await act(() => later());
  expect(field()?.value).toBe("gpt-4.1-mini-2");
  expect(settings()?.model).toBe("gpt-4.1-mini-2");
});

test("the models that the server lists are offered, and another can be named", async () => {
  models = [named("gpt-4.1"), named("gpt-4.1-mini")];
  await useProviders.getState().load();
  await act(async () => page.root.render(<Shown />));
  expect(field()).toBeNull();
  const offered = (await openList(list())).map((one) => one.dataset.value);
  expect(offered).toEqual(["", "gpt-4.1", "gpt-4.1-mini", " another"]);
  await choose(list(), "gpt-4.1-mini");
  expect(settings()?.model).toBe("gpt-4.1-mini");
  await choose(list(), " another");
  await act(async () => field()?.focus());
  await type("x");
  expect(settings()?.model).toBe("gpt-4.1-minix");
});
