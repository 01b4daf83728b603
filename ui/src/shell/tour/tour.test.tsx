// The tour: its keys, and where it ends.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../../components/testing";
import { useAnalysis } from "../../document/analysis";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import { replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { testAnalysis } from "../../ipc/testing/analysis";
import { selfRefine } from "../../ipc/testing/flows";
import { useInspectorView } from "../../session/inspector-view";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import { Tour } from "./Tour";
import { TOUR, useTour } from "./tour";

const page = pageForEach();
const title = () => page.host.querySelector("h2")?.textContent;
const press = (key: string, on: Element | null = document.activeElement) =>
  act(async () => on?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })));

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  useDocument.getState().open({ document: selfRefine, path: null, version: null });
  useAnalysis.setState({ analysis: testAnalysis(selfRefine) });
  useSession.setState({ view: "editor" });
  useTour.setState({ step: 0 });
  await act(async () => page.root.render(<Tour />));
});

test("Enter and arrows go through it, Escape ends it", async () => {
  await press("Enter");
  expect(title()).toBe(TOUR[1]?.title);
  await press("ArrowRight");
  expect(title()).toBe(TOUR[2]?.title);
  await press("ArrowLeft");
  expect(title()).toBe(TOUR[1]?.title);
  // A focused button handles Enter itself.
  await press("Enter", page.host.querySelector("button"));
  expect(title()).toBe(TOUR[1]?.title);
  await press("Escape");
  expect(title()).toBeUndefined();
});

test("it ends on what a node of the loop changed", async () => {
  await act(async () => useTour.setState({ step: TOUR.length - 2 }));
  await press("Enter");
  expect(title()).toBe("See what changed");
  expect([...useSession.getState().selection.nodes]).toEqual(["revise"]);
  expect(useInspectorView.getState()).toMatchObject({ tab: "output", compare: "previous" });
});

test("the way back is shown at the words of the feedback wire, not at those of the hull", () => {
  const [hull, words] = [document.createElement("span"), document.createElement("span")];
  hull.dataset.testid = testIds.hullTag;
  words.dataset.testid = testIds.wireLabel;
  page.host.append(hull, words);
  expect(TOUR[1]?.anchor()).toBe(words);
});
