// Navigation to a waiting step, including one inside a subflow.
import { beforeEach, expect, test, vi } from "vitest";
import { breadcrumbPath, useDocument } from "../document/document";
import { foldAll } from "../runs/fold/reduce";
import { type Body, events, iteration, runStarted, started } from "../runs/fold/samples";
import { useRuns } from "../runs/session/store";
import { type CanvasView, mountCanvasView } from "../session/canvas-view";
import { useChosenIteration } from "../session/chosen-iteration";
import { useSession } from "../session/session";
import { showStep } from "./show-step";

const node = (id: string, data = {}) => ({ id, type: "transform", position: { x: 0, y: 0 }, data });
const inner = { name: "Polish", nodes: [node("ask")], edges: [] };
const document = { nodes: [node("outer"), node("polish", { flow: inner }), node("ask")], edges: [] };

beforeEach(() => {
  useDocument.getState().open({ document, path: null, version: null });
  const at = (path: string, event: Body): Body => ({ ...event, path });
  const state = foldAll(
    "r1",
    events("r1", [
      runStarted(),
      started("outer", 3),
      iteration("outer", 0, 3),
      at("outer[1]/polish", started("polish")),
      at("outer[1]/polish/ask", started("ask")),
      iteration("outer", 1, 3),
    ]),
  );
  useRuns.setState({ live: { state, document, flowPath: null, live: true }, past: null });
  useChosenIteration.getState().reset();
});

const chosen = () => useChosenIteration.getState().chosen.outer;
const selected = () => [...useSession.getState().selection.nodes];

test("into the subflow, at the iteration of the path", async () => {
  expect(await showStep("outer[1]/polish/ask")).toBe(true);
  expect(breadcrumbPath(useDocument.getState())).toEqual(["polish"]);
  expect(chosen()).toBe(1);
  expect(selected()).toEqual(["ask"]);
});

test("out of it again for a step of the workflow itself", async () => {
  useDocument.getState().enter("polish");
  expect(await showStep("ask")).toBe(true);
  expect(breadcrumbPath(useDocument.getState())).toEqual([]);
  expect(selected()).toEqual(["ask"]);
});

test("the newest iteration goes on being followed", async () => {
  await showStep("outer[2]/ask");
  expect(chosen()).toBe("live");
});

test("the node is brought into view", async () => {
  const reveal = vi.fn();
  const unmount = mountCanvasView({ reveal, focus: () => {} } as unknown as CanvasView);
  await showStep("ask");
  await vi.waitFor(() => expect(reveal).toHaveBeenCalledWith(["ask"]));
  unmount();
});
