// Drives windows on a virtual display, with the setup of the journeys.
import path from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: import.meta.dirname,
  test: {
    environment: "node",
    include: ["leaving-rounds.mjs"],
    globalSetup: [path.resolve(import.meta.dirname, "../../e2e/support/display.ts")],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 60_000,
    disableConsoleIntercept: true,
  },
});
