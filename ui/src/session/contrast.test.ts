// The contrast preference is set on the root element and survives a restart of the window.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { followContrast } from "./contrast";
import { useSession } from "./session";

/** The system's preference. */
const system = Object.assign(new EventTarget(), { matches: false });
beforeEach(() => {
  system.matches = false;
  vi.stubGlobal("matchMedia", (query: string) => {
    expect(query).toBe("(prefers-contrast: more)");
    return system;
  });
});
afterEach(() => vi.unstubAllGlobals());
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

test("the root says it as well while the system asks for more", () => {
  system.matches = true;
  const stop = followContrast();
  expect(document.documentElement.dataset.contrast).toBe("more");
  const turn = (matches: boolean) => {
    system.matches = matches;
    system.dispatchEvent(new Event("change"));
  };
  turn(false);
  expect(document.documentElement.dataset.contrast).toBeUndefined();
  useSession.getState().patch({ contrast: "more" });
  turn(true);
  useSession.getState().patch({ contrast: "system" });
  expect(document.documentElement.dataset.contrast).toBe("more");
  stop();
  turn(false);
  expect(document.documentElement.dataset.contrast).toBe("more");
  delete document.documentElement.dataset.contrast;
});
