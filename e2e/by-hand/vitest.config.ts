// `npm run by-hand`: Self-Refine built from nothing, by keyboard alone and by pointer, counting actions. Apart from the journeys
// of `npm test` until the keyboard's way holds every time: the menu that it opens does not always get the focus.
import { defineConfig, mergeConfig } from "vitest/config";
import journeys from "../vitest.config.ts";

export default mergeConfig(
  { ...journeys, test: { ...journeys.test, include: [] } },
  defineConfig({ test: { include: ["by-hand/*.test.ts"] } }),
);
