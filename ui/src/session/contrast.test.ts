// Contrast: the page's root says when there is to be more of it, and the choice outlives the window.
import { afterEach, expect, test } from "vitest";
import { followContrast } from "./contrast";
import { useSession } from "./session";

afterEach(() => useSession.getState().patch({ contrast: "system" }));

test("the root says that contrast is more while it is, and it is remembered", () => {
  const stop = followContrast();
  expect(document.documentElement.dataset.contrast).toBeUndefined();
  useSession.getState().patch({ contrast: "more" });
  expect(document.documentElement.dataset.contrast).toBe("more");
  expect(JSON.parse(localStorage.getItem("loopwright.panels") ?? "{}")).toMatchObject({ contrast: "more" });
  useSession.getState().patch({ contrast: "system" });
  expect(document.documentElement.dataset.contrast).toBeUndefined();
  stop();
});
