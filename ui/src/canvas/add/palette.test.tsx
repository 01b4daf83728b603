// The results of a search in the palette.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../../components/testing";
import { useKinds } from "../../document/kinds";
import { useTools } from "../../document/tools";
import { replaceBackend } from "../../ipc/client";
import type { PresetInfo } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { testIds } from "../../testids";
import { Palette } from "./Palette";

const page = pageForEach();
const search = (words: string) =>
  act(async () => {
    const field = page.host.querySelector("input");
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, words);
    field?.dispatchEvent(new Event("input", { bubbles: true }));
  });
const item = (id: string) => page.host.querySelector(`[data-testid="${testIds.paletteItem(id)}"]`);

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  const preset = { id: "mcp", title: "MCP tool", category: "tools", icon: "plug", summary: "", type: "llm" };
  useKinds.setState((s) => ({
    presets: [
      ...s.presets,
      { ...preset, data: { tool: "mcp:" }, inputs: [], outputs: [] } as unknown as PresetInfo,
    ],
  }));
  const tool = { title: "", args: {}, unavailable: null };
  useTools.setState({ tools: [{ ...tool, name: "mcp:weather/forecast", summary: "Says what comes." }] });
  await act(async () => page.root.render(<Palette />));
});

test("an MCP server by its name, with its tools", async () => {
  expect(item("mcp:weather/forecast")).toBeNull();
  await search("weather");
  expect(item("mcp:weather/forecast")?.textContent).toContain("weather forecast");
  expect(item("llm")).toBeNull();
  await search("");
  expect(item("mcp:weather/forecast")).toBeNull();
});
