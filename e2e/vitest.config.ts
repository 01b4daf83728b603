// One run of the journeys drives one window at a time, on its own display. Each step waits until the window
// shows what the user would wait for. `npm test` starts two such runs, each with half of the files.
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
