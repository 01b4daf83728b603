// Runs the window's measurements with the journeys' own set-up.
import { defineConfig, mergeConfig } from "vitest/config";
import journeys from "../vitest.config.ts";

export default mergeConfig(
  { ...journeys, test: { ...journeys.test, include: [] } },
  defineConfig({
    test: { include: ["window", "typing", "history"].map((name) => `bench/${name}.ts`) },
  }),
);
