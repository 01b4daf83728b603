// A run as seen from a flow inside a subflow.
import { describe, expect, test } from "vitest";
import { useDocument } from "../../document/document";
import { foldAll } from "../fold/reduce";
import { type Body, completed, events, iteration, iterationDone, runStarted, started } from "../fold/samples";
import { useRuns } from "../session/store";
import { runHere, runWithin, runWithLoops } from "./level";
import { shownIteration, shownLoop, shownPath, shownStep } from "./view";

const eventAt = (path: string, event: Body): Body => ({ ...event, path });

const run = foldAll(
  "r1",
  events("r1", [
    runStarted(),
    started("outer", 2),
    iteration("outer", 0, 2),
    eventAt("outer[1]/polish", started("polish")),
    eventAt("outer[1]/polish/draft", { ...completed("draft"), preview: "first" }),
    eventAt("outer[1]/polish", completed("polish")),
    iterationDone("outer", 0),
    iteration("outer", 1, 2),
    eventAt("outer[2]/polish", started("polish")),
    eventAt("outer[2]/polish/draft", { ...completed("draft"), preview: "second" }),
    eventAt("outer[2]/polish/check", { ...started("check", 3) }),
    { ...iteration("check", 0, 3), path: "outer[2]/polish/check" },
    eventAt("outer[2]/polish/check[1]/judge", { ...completed("judge"), preview: "good" }),
  ]),
);

describe("runWithin", () => {
  test("the workflow itself is the run as it is", () => {
    expect(runWithin(run, {}, [])).toBe(run);
    expect(run.loopIds).toEqual(["outer"]);
    expect(run.chains.polish).toEqual(["outer"]);
    expect(run.chains.draft).toBeUndefined();
  });

  test("a subflow shows its steps at the chosen iteration of the loop around it", () => {
    expect(shownStep(runWithin(run, {}, ["polish"]), {}, "draft")?.preview).toBe("second");
    const first = { outer: 1 };
    expect(shownStep(runWithin(run, first, ["polish"]), first, "draft")?.preview).toBe("first");
  });

  test("loops inside it are its own, and paths are those of the run", () => {
    const inside = runWithin(run, {}, ["polish"]);
    expect(inside.loopIds).toEqual(["check"]);
    const loop = shownLoop(inside, {}, "check");
    expect(loop && shownIteration(loop, {})?.number).toBe(1);
    expect(shownStep(inside, {}, "judge")?.preview).toBe("good");
    expect(shownPath(inside, {}, "judge")).toBe("outer[2]/polish/check[1]/judge");
  });

  test("a subflow that has not run yet shows nothing", () => {
    const inside = runWithin(run, {}, ["other"]);
    expect(inside.root.steps).toEqual({});
    expect(shownStep(inside, {}, "draft")).toBeNull();
  });
});

describe("the timeline", () => {
  const node = (id: string, data = {}) => ({ id, type: "subflow", position: { x: 0, y: 0 }, data });
  const flow = (name: string, ...nodes: object[]) => ({ name, nodes, edges: [] }) as never;
  const document = flow(
    "Whole",
    node("outer"),
    node("polish", {
      flow: flow("Polish", node("draft"), node("check"), node("deep", { flow: flow("Deep") })),
    }),
  );
  const open = (...path: string[]) => {
    useDocument.getState().open({ document, path: null, version: null });
    useRuns.setState({ live: { state: run, document, flowPath: null, live: true }, past: null });
    for (const id of path) useDocument.getState().enter(id);
  };

  test("shows the loops of the flow that is looked into", () => {
    open("polish");
    expect(runWithLoops(useRuns.getState())?.state.loopIds).toEqual(["check"]);
    expect(runWithLoops(useRuns.getState())).toBe(runHere(useRuns.getState()));
    expect(runHere(useRuns.getState())?.document.name).toBe("Polish");
  });

  test("where that has none, those of the nearest flow around it", () => {
    open("polish", "deep");
    expect(runHere(useRuns.getState())?.state.loopIds).toEqual([]);
    expect(runWithLoops(useRuns.getState())?.state.loopIds).toEqual(["check"]);
    expect(runWithLoops(useRuns.getState())?.document.name).toBe("Polish");
  });
});
