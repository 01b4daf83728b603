// Runs the window's measurements with the setup of the journeys.
import { defineConfig, mergeConfig } from "vitest/config";
import journeys from "../vitest.config.ts";

const MEASUREMENTS = ["window", "typing", "history", "tokens", "difference", "memory", "evaluate", "start"];

export default mergeConfig(
  { ...journeys, test: { ...journeys.test, include: [] } },
  defineConfig({ test: { include: MEASUREMENTS.map((name) => `bench/${name}.ts`) } }),
);
