// @vitest-environment node
// The shipped bundle: it must not contain the backend double, and nothing may contact another host.
import path from "node:path";
import { build, type Rollup } from "vite";
import { describe, expect, it, vi } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");

describe("the bundle", () => {
  it("holds no part of the double and names no host to load from", async () => {
    // Vite uses NODE_ENV to detect a development build, and the test runner sets it to "test".
    vi.stubEnv("NODE_ENV", "production");
    const output = (await build({
      configFile: path.join(root, "vite.config.ts"),
      mode: "production",
      logLevel: "silent",
      build: { write: false },
    })) as Rollup.RollupOutput;
    const modules = output.output.flatMap((chunk) =>
      chunk.type === "chunk" ? Object.keys(chunk.modules) : [],
    );
    expect(modules.some((id) => id.includes("/src/ipc/client"))).toBe(true);
    expect(modules.filter((id) => /\/src\/ipc\/(testing|generated\/recorded)/.test(id))).toEqual([]);
    const styles = output.output.flatMap((asset) =>
      asset.type === "asset" && asset.fileName.endsWith(".css") ? [String(asset.source)] : [],
    );
    expect(styles).not.toEqual([]);
    for (const style of styles) expect(style).not.toMatch(/url\((["']?)(https?:)?\/\//);
  }, 120_000);
});
