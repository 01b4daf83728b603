// The provider that the window shows for a run, which is the one the engine uses.
import { describe, expect, test } from "vitest";
import { replaceBackend } from "../../ipc/client";
import type { ProviderInfo, Settings } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { bareProvider, readyProvider } from "../../ipc/testing/providers";
import { providerInfo, settingsWith } from "../../ipc/testing/values";
import { defaultProvider, useProviders } from "./providers";

const provider = (id: string, ready: boolean): ProviderInfo => {
  const { state, status } = ready ? readyProvider("ollama") : bareProvider("openai");
  return providerInfo(id, { ready, status, state: ready && id === "lmstudio" ? "found" : state });
};

const settings = (chosen: string): Settings => settingsWith({ provider: chosen });

describe("the provider of nodes that name none", () => {
  const builtin = provider("builtin", true);
  const set = provider("ollama", true);
  const missing = provider("openai", false);
  const found = provider("lmstudio", true);

  test.each([
    { chosen: "auto", providers: [builtin, set, missing], used: "ollama" },
    { chosen: "auto", providers: [builtin, missing], used: "builtin" },
    // A server that was merely discovered is used only if it is chosen.
    { chosen: "auto", providers: [builtin, found, missing], used: "builtin" },
    { chosen: "lmstudio", providers: [builtin, found, missing], used: "lmstudio" },
    { chosen: "builtin", providers: [builtin, set, missing], used: "builtin" },
    { chosen: "openai", providers: [builtin, set, missing], used: "openai" },
  ])("$chosen of $providers.length is $used", ({ chosen, providers, used }) => {
    expect(defaultProvider({ providers, settings: settings(chosen) })?.id).toBe(used);
  });
});

describe("settings that are changed while others are saved", () => {
  /** Creates a backend whose answers the test releases one by one. */
  function slow() {
    const asked: { settings: Settings; answer: () => void; refuse: () => void }[] = [];
    replaceBackend({
      ...testBackend(),
      providers: async () => [],
      saveSettings: (next) =>
        new Promise((resolve, reject) => {
          asked.push({ settings: next, answer: () => resolve(next), refuse: () => reject(new Error("no")) });
        }),
    });
    return asked;
  }
  const { save, settled } = useProviders.getState();
  const model = () => useProviders.getState().settings?.model;
  const tick = () => new Promise((done) => setTimeout(done));

  test("each letter stays, and the last one is what is saved", async () => {
    const asked = slow();
    useProviders.setState({ settings: { ...settings("openai"), theme: "dark" } });
    const saves: Promise<void>[] = [];
    for (const typed of ["g", "gp", "gpt"]) {
      saves.push(save({ model: typed }));
      expect(model()).toBe(typed);
    }
    for (let i = 0; i < 3; i++) {
      await tick();
      expect(asked).toHaveLength(i + 1);
      asked[i]?.answer();
      await tick();
      expect(model()).toBe("gpt");
    }
    await Promise.all([...saves, settled()]);
    expect(asked.map((one) => one.settings.model)).toEqual(["g", "gp", "gpt"]);
  });

  test("what is read at the same time takes no letter back", async () => {
    const asked = slow();
    useProviders.setState({ settings: { ...settings("openai"), theme: "dark" } });
    const saved = save({ model: "gpt" });
    // A server's model list has arrived, so providers and settings are read again.
    await useProviders.getState().load();
    expect(model()).toBe("gpt");
    const reading = useProviders.getState().load();
    const next = save({ model: "gpt-4" });
    await reading;
    expect(model()).toBe("gpt-4");
    await tick();
    asked[0]?.answer();
    await saved;
    asked[1]?.answer();
    await next;
    expect(model()).toBe("gpt-4");
    await useProviders.getState().load();
    expect(model()).toBeNull();
  });

  test("one that is refused leaves what was saved before", async () => {
    const asked = slow();
    useProviders.setState({ settings: { ...settings("openai"), theme: "dark" } });
    const first = save({ model: "good" });
    await tick();
    asked[0]?.answer();
    await first;
    const second = save({ model: "bad" });
    await tick();
    asked[1]?.refuse();
    await expect(second).rejects.toThrow("no");
    expect(model()).toBe("good");
  });
});
