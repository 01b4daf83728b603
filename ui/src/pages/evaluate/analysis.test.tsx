// The analysis above the grid: the curve and its limit, the comparison, the policies and the ratings. An axe
// check covers all of them.
import axe from "axe-core";
import { act } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../../components/testing";
import { useDocument } from "../../document/document";
import { api } from "../../ipc/client";
import { testIds } from "../../testids";
import { useExperiment } from "./experiment-store";
import { keepTest } from "./keep-test";
import {
  beginEvaluation,
  button,
  byTestId,
  drawPage,
  giveSizes,
  inputValue,
  lastToast,
  pressButton,
  pressKey,
  settle,
} from "./testing";

const page = pageForEach();
beforeEach(async () => {
  giveSizes();
  await beginEvaluation();
  await drawPage(page);
});
afterEach(() => void vi.restoreAllMocks());

const cap = () => useDocument.getState().root.nodes.find(({ id }) => id === "refine")?.data.maxIterations;
const table = (title: string) =>
  [...page.host.querySelectorAll("table")].find((one) => one.caption?.textContent === title);
const panel = () => page.host.querySelector("#eval-panel")?.textContent ?? "";

test("the curve has a drawing with a name, a table behind it, and its knee", async () => {
  const drawing = page.host.querySelector("figure svg[aria-description]");
  expect(drawing?.getAttribute("role")).toBe("img");
  expect(drawing?.getAttribute("aria-label")).toBe("judge by iteration");
  expect(drawing?.getAttribute("aria-description")).toContain("cap 6: from 5.36 at iteration 1 to 6.74");
  const data = table("judge by iteration");
  expect(data?.tBodies[0]?.rows).toHaveLength(3 + 6 + 5);
  expect(data?.tBodies[0]?.rows[0]?.textContent).toBe("cap 315.365.2 to 5.4911< $0.000127%");
  expect(panel()).toContain("3 iterations are as good as 6");
});

test("the knee's cap is applied to the open flow as one edit, said, and undone", async () => {
  expect(cap()).toBe(5);
  await pressButton(byTestId(page, testIds.evalApplyCap));
  expect(cap()).toBe(3);
  expect(useDocument.getState().history.done.at(-1)?.label).toBe("Apply cap 3");
  expect(lastToast()).toMatchObject({ tone: "ok", title: "“Refine” is now limited to 3 iterations" });
  await act(async () => lastToast()?.actions[0]?.run());
  expect(cap()).toBe(5);
  expect(useDocument.getState().history.done).toHaveLength(0);
});

test("a cap for a loop that the flow lacks is refused in words", async () => {
  const { document } = useDocument.getState();
  const nodes = document.nodes.filter(({ id }) => id !== "refine");
  await act(async () => useDocument.getState().edit((flow) => ({ ...flow, nodes }), { label: "Delete" }));
  await pressButton(byTestId(page, testIds.evalApplyCap));
  expect(lastToast()).toMatchObject({ tone: "error", title: "The cap was not applied" });
});

test("the comparison has a forest plot, wins and losses, and leads to cases that got worse", async () => {
  await pressButton(byTestId(page, testIds.evalTab("compare")));
  const data = table("Difference from cap 3");
  const rows = [...(data?.tBodies[0]?.rows ?? [])].map((row) => row.textContent);
  expect(rows[0]).toContain("cap 6judge+0.14−0.04 to +0.35undecided");
  expect(rows[3]).toContain("one morejudge+0.73+0.45 to +0.93better");
  expect(panel()).toContain("one more, judge (better): 10 cases better, 0 equal, 1 worse");
  await pressButton(button(page, "case-5"));
  expect(page.host.querySelector('[aria-label="Active cell"]')?.textContent).toContain("case-5");
});

test("where lower is better, a difference above 0 is worse", async () => {
  const { view } = useExperiment.getState();
  if (view === null) throw new Error("no experiment is shown");
  const report = { ...view.report, lowerIsBetter: [true, false, false] };
  await act(async () => useExperiment.setState({ view: { ...view, report } }));
  await pressButton(byTestId(page, testIds.evalTab("compare")));
  const data = table("Difference from cap 3");
  expect(data?.tBodies[0]?.rows[3]?.textContent).toContain("+0.45 to +0.93worse");
  expect(panel()).toContain("one more, judge (worse): 10 cases better");
  expect(panel()).toContain("judge (lower is better)");
});

test("where nothing costs money, charts are of tokens and iterations", async () => {
  const { view } = useExperiment.getState();
  if (view === null) throw new Error("no experiment is shown");
  const variants = view.report.variants.map((one) => ({
    ...one,
    curve: one.curve && {
      ...one.curve,
      points: one.curve.points.map((point) => ({ ...point, meanCostUsd: 0 })),
    },
  }));
  await act(async () => useExperiment.setState({ view: { ...view, report: { ...view.report, variants } } }));
  expect(panel()).toContain("Tokens per run by iteration");
});

test("an exit is back-tested: a policy, one that is wrong, and a grid with its front", async () => {
  await pressButton(byTestId(page, testIds.evalTab("policies")));
  expect(panel()).toContain("This costs nothing.");
  for (const policy of ["cap = 2", "best=9"]) {
    await inputValue(byTestId(page, "eval-policy"), policy);
    await pressButton(button(page, "Add"));
  }
  expect(useExperiment.getState().policies).toEqual(["cap=2", "best=9"]);
  expect(panel()).toContain("best=9 is not part of a policy.");
  expect(panel()).toContain("Max iterations 11");
  await pressButton(button(page, "Remove best=9"));
  expect(panel()).not.toContain("best=9");
  await pressButton(button(page, "Try a grid"));
  expect(useExperiment.getState().policies).toContain("stable=0.95,patience=2,cap=6");
  expect(table("Score and cost of policies")?.textContent).toContain("cap=1");
});

test("results are rated blind by keys, and agreement with the judge follows", async () => {
  const rate = vi.spyOn(api(), "rateResult");
  await pressButton(byTestId(page, testIds.evalTab("rate")));
  expect(panel()).toContain("95 results left");
  expect(panel()).not.toContain("cap 3");
  await pressKey(byTestId(page, "eval-blind"), "4");
  await pressKey(byTestId(page, "eval-blind"), "9");
  await pressButton(byTestId(page, "eval-rating-5"));
  expect(rate.mock.calls.map(([, , iteration, rating, scorer]) => [iteration, rating, scorer])).toEqual([
    [3, 4, "reader"],
    [2, 5, "reader"],
  ]);
  expect(panel()).toContain("93 results left");
  expect(panel()).toContain("readerjudge200");
});

test("a chart is saved as a drawing whose colours are no tokens", async () => {
  const save = vi.spyOn(api(), "savePicture");
  await pressButton(button(page, "Save “judge by iteration” as an image (SVG)…"));
  const [path, bytes] = save.mock.calls[0] ?? [];
  expect(path).toBe("/flows/judge-by-iteration.svg");
  const svg = new TextDecoder().decode(Uint8Array.from(bytes ?? []));
  expect(svg).toContain('xmlns="http://www.w3.org/2000/svg"');
  expect(svg).not.toContain("var(--");
});

test("a run is kept as a test where the person says", async () => {
  const pick = vi.spyOn(api(), "pickExport");
  const keep = vi.spyOn(api(), "keepTest");
  await act(() => keepTest({ runId: "run-7", flow: "Self-Refine" }));
  expect(pick).toHaveBeenCalledWith("tests/self-refine.test.json");
  expect(keep).toHaveBeenCalledWith("run-7", "/flows/tests/self-refine.test.json");
  expect(lastToast()?.title).toBe("The run was saved as a test");
});

test("the analysis is hidden to give the grid its room, and shown by a tab", async () => {
  await pressButton(button(page, "Hide the analysis"));
  expect(page.host.querySelector("#eval-panel")).toBeNull();
  await pressButton(byTestId(page, testIds.evalTab("compare")));
  expect(panel()).toContain("Difference from cap 3");
});

/**
 * The time limit of axe, in milliseconds. Axe reads the style of every element on four tabs, which takes long
 * on a busy machine.
 */
const AXE_MS = 120_000;

test(
  "axe finds nothing serious on any tab, with the settings open",
  async () => {
    await pressButton(button(page, "Show the settings"));
    for (const tab of ["curve", "compare", "policies", "rate"]) {
      await pressButton(byTestId(page, testIds.evalTab(tab)));
      if (tab === "policies") await pressButton(button(page, "Try a grid"));
      await settle();
      // Colour contrast is checked elsewhere, in a real window.
      const { violations } = await axe.run(page.host, {
        runOnly: ["wcag2a", "wcag2aa", "best-practice"],
        rules: { "color-contrast": { enabled: false } },
      });
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      expect(
        serious.map(({ id, nodes }) => `${tab}: ${id}: ${nodes.map(({ html }) => html).join(" ")}`),
      ).toEqual([]);
    }
  },
  AXE_MS,
);
