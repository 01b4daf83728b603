// The journeys drive one window at a time on a display of their own; each step waits for what a person would see.
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: import.meta.dirname,
  test: {
    environment: "node",
    include: ["journeys/**/*.test.ts"],
    globalSetup: ["support/display.ts"],
    setupFiles: ["support/picture-of-failure.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
