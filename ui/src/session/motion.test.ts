// The motion setting is set on the root element and survives a restart of the window.
import { afterEach, expect, test } from "vitest";
import { followMotion } from "./motion";
import { useSession } from "./session";

afterEach(() => useSession.getState().patch({ motion: "system" }));

test("the root says that motion is reduced while it is, and it is remembered", () => {
  const stop = followMotion();
  expect(document.documentElement.dataset.motion).toBeUndefined();
  useSession.getState().patch({ motion: "reduced" });
  expect(document.documentElement.dataset.motion).toBe("reduced");
  expect(JSON.parse(localStorage.getItem("loopwright.panels") ?? "{}")).toMatchObject({ motion: "reduced" });
  useSession.getState().patch({ motion: "system" });
  expect(document.documentElement.dataset.motion).toBeUndefined();
  stop();
});
