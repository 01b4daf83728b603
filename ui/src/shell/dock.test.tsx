// The dock during a run. For a workflow without a loop, only its header is shown until the user opens it.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../components/testing";
import { useAnalysis } from "../document/analysis";
import { useSession } from "../session/session";
import { Dock } from "./Dock";

const page = pageForEach();
const loop = { start: "loop", body: [], end: "exit", depth: 0, feedbackEdges: [], repeats: "loop" };
const setRegions = (regions: object[]) =>
  act(async () =>
    useAnalysis.setState((s) => ({ whole: { ...s.whole, regions } as unknown as typeof s.whole })),
  );
const button = (label: string) => page.host.querySelector<HTMLElement>(`[aria-label="${label}"]`);
const isOpen = () => page.host.querySelector('[role="separator"]') !== null;

beforeEach(async () => {
  useSession.getState().setLayout("run");
  await setRegions([]);
  await act(async () => page.root.render(<Dock />));
});

test("of a workflow without a loop it is one line, and opens", async () => {
  expect(isOpen()).toBe(false);
  await act(async () => button("Expand")?.click());
  expect(isOpen()).toBe(true);
  await act(async () => button("Collapse")?.click());
  expect(isOpen()).toBe(false);
  expect(useSession.getState().dockOpen).toBe(true);
});

test("with a loop it is open from the beginning", async () => {
  await setRegions([loop]);
  expect(isOpen()).toBe(true);
});

test("what is asked of it opens it", async () => {
  await act(async () => useSession.getState().openDock("log"));
  expect(isOpen()).toBe(true);
});

test("while a workflow is edited it goes when it is collapsed", async () => {
  await act(async () => {
    useSession.getState().setLayout("edit");
    useSession.getState().openDock("problems");
  });
  await act(async () => button("Collapse")?.click());
  expect(useSession.getState().dockOpen).toBe(false);
});
