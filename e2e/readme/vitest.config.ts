// Runs the picture script with the setup of the journeys.
import { defineConfig, mergeConfig } from "vitest/config";
import journeys from "../vitest.config.ts";

export default mergeConfig(
  { ...journeys, test: { ...journeys.test, include: [] } },
  defineConfig({ test: { include: ["readme/pictures.ts"] } }),
);
