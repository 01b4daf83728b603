// Runs the window's measurements with the journeys' own set-up.
import { defineConfig, mergeConfig } from "vitest/config";
import journeys from "../vitest.config.ts";

export default mergeConfig(
  { ...journeys, test: { ...journeys.test, include: [] } },
  defineConfig({
  defineConfig({
    test: {
      include: ["window", "typing", "history", "tokens", "memory"].map((name) => `bench/${name}.ts`),
    },
  }),
  }),
);
