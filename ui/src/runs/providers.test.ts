// Which provider the window says a run will use: the same that the Rust side takes.
import { describe, expect, test } from "vitest";
import type { ProviderInfo, Settings } from "../ipc/generated/bindings";
import { defaultProvider } from "./providers";

const provider = (id: string, ready: boolean): ProviderInfo => ({
  id,
  name: id,
  ready,
  status: ready ? "ready" : "needs a key",
  baseUrl: null,
  hasKey: false,
  models: [],
  note: "",
});

const settings = (chosen: string): Settings => ({
  theme: "system",
  provider: chosen,
  model: null,
  openaiBaseUrl: null,
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

  test.each([
    { chosen: "auto", providers: [builtin, set, missing], used: "ollama" },
    { chosen: "auto", providers: [builtin, missing], used: "builtin" },
    { chosen: "builtin", providers: [builtin, set, missing], used: "builtin" },
    { chosen: "openai", providers: [builtin, set, missing], used: "openai" },
  ])("$chosen of $providers.length is $used", ({ chosen, providers, used }) => {
    expect(defaultProvider({ providers, settings: settings(chosen) })?.id).toBe(used);
  });
});
