// Which provider the window says a run will use: the same that the Rust side takes.
import { describe, expect, test } from "vitest";
import type { ProviderInfo, Settings } from "../ipc/generated/bindings";
import { defaultProvider } from "./providers";

const provider = (id: string, ready: boolean): ProviderInfo => ({
  id,
  name: id,
  state: ready ? (id === "lmstudio" ? "found" : "ready") : "needs_key",
  ready,
  status: ready ? "ready" : "needs a key",
  baseUrl: null,
  hasKey: false,
  keySource: null,
  keyVariable: null,
  models: [],
  modelsAt: null,
  note: "",
  remedy: "",
});

const settings = (chosen: string): Settings => ({
  theme: "system",
  provider: chosen,
  model: null,
  openaiBaseUrl: null,
  addresses: {},
  azureApiVersion: null,
  documentsFolder: null,
  budgetUsd: null,
  askAboveUsd: null,
  historyLimitMb: null,
  proxy: null,
  webSearch: null,
  mcpServers: [],
  agents: [],
});

describe("the provider of nodes that name none", () => {
  const builtin = provider("builtin", true);
  const set = provider("ollama", true);
  const missing = provider("openai", false);
  const found = provider("lmstudio", true);

  test.each([
    { chosen: "auto", providers: [builtin, set, missing], used: "ollama" },
    { chosen: "auto", providers: [builtin, missing], used: "builtin" },
    // What was only found is used where it is chosen.
    { chosen: "auto", providers: [builtin, found, missing], used: "builtin" },
    { chosen: "lmstudio", providers: [builtin, found, missing], used: "lmstudio" },
    { chosen: "builtin", providers: [builtin, set, missing], used: "builtin" },
    { chosen: "openai", providers: [builtin, set, missing], used: "openai" },
  ])("$chosen of $providers.length is $used", ({ chosen, providers, used }) => {
    expect(defaultProvider({ providers, settings: settings(chosen) })?.id).toBe(used);
  });
});
