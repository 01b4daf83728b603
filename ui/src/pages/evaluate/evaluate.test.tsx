// The Evaluate page: opening and editing a file, the grid, running, and error messages.
import { act } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { choose, pageForEach } from "../../components/testing";
import { ApiFailure, api } from "../../ipc/client";
import { failure } from "../../ipc/testing/failures";
import { testIds } from "../../testids";
import * as history from "../history/actions";
import { useEvaluation } from "./evaluation-store";
import { useExperiment } from "./experiment-store";
import {
  answerQuestion,
  beginEvaluation,
  button,
  byTestId,
  drawPage,
  FILE,
  giveSizes,
  lastToast,
  pressButton,
  pressKey,
  settle,
} from "./testing";

const page = pageForEach();
beforeEach(async () => {
  giveSizes();
  await beginEvaluation();
});
afterEach(async () => {
  const { progress } = useExperiment.getState();
  if (progress?.id) await api().stopExperiment(progress.id);
  vi.restoreAllMocks();
});

const rows = () => page.host.querySelectorAll('[role="rowgroup"] > [role="row"]');
const cell = (row: number, column: number) => page.host.querySelector(`#eval-cell-${row}-${column}`);
const grid = () => byTestId(page, testIds.evalGrid);
/** Creates a clock for the experiments of the backend double. The test advances the clock. */
function manualClock() {
  const clock = {
    tick: () => {},
    every: (tick: () => void) => {
      clock.tick = tick;
      return () => {};
    },
  };
  return clock;
}
const rowsRead = () => useExperiment.getState().pages.get(0) ?? [];

describe("an evaluation", () => {
  test("is offered beside its flow, and opened", async () => {
    await drawPage(page, null);
    expect(page.host.textContent).toContain("No evaluation is open");
    await pressButton(button(page, "Refine quality"));
    expect(page.host.querySelector('[aria-label^="Evaluation: "]')?.textContent).toContain("Refine quality");
    expect(page.host.querySelector<HTMLElement>('[data-testid="eval-experiment"]')?.dataset.value).toBe(
      "experiment-1",
    );
  });

  test("is made from the open flow and a data file, and saved", async () => {
    await drawPage(page, null);
    await pressButton(byTestId(page, testIds.evalNew));
    expect(useEvaluation.getState().evaluation?.data).toEqual({
      file: "topics.jsonl",
      inputs: { brief: "topic" },
    });
    // Before the first experiment the grid shows the cases.
    expect(page.host.textContent).toContain("to measure how good the results are");
    expect(cell(0, 0)?.textContent).toContain("Why bread rises");
    await pressButton(byTestId(page, testIds.evalSave));
    expect(byTestId(page, testIds.evalSave)).toHaveProperty("disabled", true);
    const path = useEvaluation.getState().opened?.path;
    expect((await api().evaluationsBeside("")).map((one) => one.path)).toEqual([FILE, path]);
  });

  test("maps columns, shows a problem at its place, and loses it with the mapping", async () => {
    await drawPage(page);
    await pressButton(button(page, "Show the settings"));
    const column = byTestId(page, "eval-column-brief");
    await choose(column, "audience");
    expect(useEvaluation.getState().evaluation?.data.inputs).toEqual({ brief: "audience" });
    await act(async () =>
      useEvaluation.getState().change({ data: { file: "topics.jsonl", inputs: { tone: "audience" } } }),
    );
    await settle(400);
    const problem = byTestId(page, "eval-problem-data.inputs");
    expect(problem.textContent).toContain("names tone, which is not an input of the flow");
    expect(problem.parentElement?.contains(byTestId(page, "eval-column-tone"))).toBe(true);
    await choose(byTestId(page, "eval-column-tone"), "");
    await settle(400);
    expect(page.host.querySelector('[data-testid="eval-problem-data.inputs"]')).toBeNull();
    expect(page.host.querySelector('[data-testid="eval-column-tone"]')).toBeNull();
  });

  test("changes the type of a scorer, and keeps what a file must have", async () => {
    await drawPage(page);
    await pressButton(button(page, "Show the settings"));
    await choose(byTestId(page, "eval-scorer-type-1"), "regex");
    expect(useEvaluation.getState().evaluation?.scorers[1]).toEqual({
      name: "not empty",
      type: "regex",
      pattern: "",
    });
  });

  test("that another program changed is not overwritten without a question", async () => {
    await drawPage(page);
    await act(async () => useEvaluation.getState().change({ name: "Mine" }));
    const other = await api().openEvaluation("/flows/self-refine.eval.json");
    await api().saveEvaluation(other.path, { ...other.evaluation, name: "Theirs" }, other.version);
    await pressButton(byTestId(page, testIds.evalSave));
    expect(await answerQuestion("reload")).toContain("Another program has changed this evaluation");
    expect(useEvaluation.getState().evaluation?.name).toBe("Theirs");
  });

  test("that another program changed is overwritten when asked for", async () => {
    await drawPage(page);
    await act(async () => useEvaluation.getState().change({ name: "Mine" }));
    const other = await api().openEvaluation("/flows/self-refine.eval.json");
    await api().saveEvaluation(other.path, { ...other.evaluation, name: "Theirs" }, other.version);
    await pressButton(byTestId(page, testIds.evalSave));
    await answerQuestion("overwrite");
    expect((await api().openEvaluation("/flows/self-refine.eval.json")).evaluation.name).toBe("Mine");
    expect(lastToast()).toBeUndefined();
  });

  test("has the direction of a scorer as a switch", async () => {
    await drawPage(page);
    await pressButton(button(page, "Show the settings"));
    const lower = page.host.querySelector<HTMLElement>('[aria-label="Lower is better for judge"]');
    if (lower) await pressButton(lower);
    expect(useEvaluation.getState().evaluation?.scorers[0]?.lowerIsBetter).toBe(true);
    if (lower) await pressButton(lower);
    expect("lowerIsBetter" in (useEvaluation.getState().evaluation?.scorers[0] ?? {})).toBe(false);
  });
});

describe("the grid", () => {
  test("of 10,000 cases draws a screenful, and reads only what is in view", async () => {
    await beginEvaluation({ cases: 10_000 });
    const read = vi.spyOn(api(), "experimentRows");
    await drawPage(page);
    expect(grid().getAttribute("aria-rowcount")).toBe("10001");
    expect(rows().length).toBeGreaterThan(10);
    expect(rows().length).toBeLessThan(60);
    expect(read.mock.calls.map(([, offset]) => offset)).toEqual([0]);
    await act(async () => {
      grid().scrollTop = 6000 * 30;
      grid().dispatchEvent(new Event("scroll"));
    });
    await settle(60);
    expect(rows().length).toBeLessThan(60);
    expect(page.host.textContent).toContain("case-6005");
    expect(read.mock.calls.map(([, offset]) => offset)).not.toContain(3000);
  });

  test("shows results in words", async () => {
    await drawPage(page);
    const texts = [...page.host.querySelectorAll('[role="columnheader"]')].map((one) => one.textContent);
    expect(texts.slice(0, 5)).toEqual(["Case", "brief", "Expected", "cap 3Output", "cap 3judge"]);
    expect(page.host.textContent).toMatch(/Evaluator satisfied|Stable output/);
    expect(page.host.textContent).not.toContain("evaluator_done");
    expect(page.host.textContent).toContain("unscored");
  });

  test("goes by keys: arrows, Space selects, Enter opens the run at the chosen iteration", async () => {
    const open = vi.spyOn(history, "openRun").mockResolvedValue();
    await drawPage(page);
    // Finds a row whose run had at least two iterations.
    const index = rowsRead().findIndex((row) => (row.cells[0]?.iterationCount ?? 0) >= 2);
    for (let i = 0; i <= index; i++) await pressKey(grid(), "ArrowDown");
    for (let i = 0; i < 4; i++) await pressKey(grid(), "ArrowRight");
    expect(grid().getAttribute("aria-activedescendant")).toBe(`eval-cell-${index}-3`);
    await pressKey(grid(), " ");
    expect([...useExperiment.getState().selected]).toEqual([index]);
    const iteration = page.host.querySelector<HTMLElement>('[aria-label="Open at iteration"]');
    if (!iteration) throw new Error("no iteration is offered");
    await choose(iteration, "2");
    await pressKey(grid(), "Enter");
    expect(open).toHaveBeenLastCalledWith(rowsRead()[index]?.cells[0]?.runId, {
      nodeId: "refine",
      loopId: "refine",
      number: 2,
    });
  });

  test("opens the run of a cell that is clicked", async () => {
    const open = vi.spyOn(history, "openRun").mockResolvedValue();
    await drawPage(page);
    await pressButton(cell(1, 2) as HTMLElement);
    const runId = rowsRead()[1]?.cells[0]?.runId;
    expect(runId).toBeDefined();
    expect(open).toHaveBeenCalledWith(runId);
  });
});

describe("an experiment", () => {
  test("asks with the price, shows progress from the start, and fills the grid", async () => {
    const clock = manualClock();
    await beginEvaluation({ every: clock.every, perTick: 18 });
    await drawPage(page);
    await pressButton(byTestId(page, testIds.evalRunAll));
    expect(await answerQuestion(true)).toContain("Start 36 runs? 36 runs, cost unknown. A model also judges");
    const bar = byTestId(page, testIds.evalProgress);
    expect(bar.textContent).toMatch(/^\d+ of 36/);
    expect(bar.querySelector("progress")?.max).toBe(36);
    expect(page.host.querySelector(`[data-testid="${testIds.evalRunAll}"]`)).toBeNull();
    await act(async () => clock.tick());
    expect(bar.textContent).toMatch(/^18 of 36/);
    await act(async () => clock.tick());
    await settle();
    expect(page.host.querySelector(`[data-testid="${testIds.evalProgress}"]`)).toBeNull();
    expect(useExperiment.getState().shown).toBe("experiment-2");
    expect(cell(0, 3)?.textContent).not.toBe("");
    expect(lastToast()?.title).toBe("3 of 36 runs failed");
  });

  test("that another program runs is followed, and can be stopped", async () => {
    await drawPage(page);
    const view = await api().experiment("experiment-1");
    const running = { ...view, summary: { ...view.summary, status: "running" as const, done: 18 } };
    const read = vi.spyOn(api(), "experiment").mockResolvedValue(running);
    await act(() => useExperiment.getState().refresh());
    expect(byTestId(page, testIds.evalProgress).textContent).toContain("18 of 36");
    read.mockRestore();
    await pressButton(byTestId(page, testIds.evalStop));
    expect(page.host.querySelector(`[data-testid="${testIds.evalProgress}"]`)).toBeNull();
  });

  test("does not start when the price is refused", async () => {
    const start = vi.spyOn(api(), "startExperiment");
    await drawPage(page);
    await pressButton(byTestId(page, testIds.evalRunAll));
    await answerQuestion(false);
    expect(start).not.toHaveBeenCalled();
    expect(useExperiment.getState().progress).toBeNull();
  });

  test("is stopped, and resumes with the empty cells", async () => {
    const clock = manualClock();
    await beginEvaluation({ every: clock.every, perTick: 5 });
    await drawPage(page);
    await pressButton(byTestId(page, testIds.evalRunAll));
    await answerQuestion(true);
    await act(async () => clock.tick());
    await pressButton(byTestId(page, testIds.evalStop));
    expect(useExperiment.getState().view?.summary.done).toBe(5);
    expect(page.host.textContent).toContain("“Run empty” resumes it without repeating finished runs.");
    const rerun = vi.spyOn(api(), "rerunCells");
    await pressButton(byTestId(page, testIds.evalRunEmpty));
    expect(await answerQuestion(true)).toContain("Run 31 cells?");
    expect(rerun).toHaveBeenCalledWith("experiment-2", "empty", expect.any(Function));
  });

  test("runs the cells of the selected rows", async () => {
    const rerun = vi.spyOn(api(), "rerunCells").mockResolvedValue(null);
    await drawPage(page);
    await act(async () => useExperiment.getState().select([4]));
    await pressButton(byTestId(page, testIds.evalRunSelected));
    expect(await answerQuestion(true)).toContain("Run 3 cells? Their maximum cost is not known.");
    expect(rerun.mock.calls[0]?.[1]).toEqual([
      { case: 4, variant: 0, repetition: 0 },
      { case: 4, variant: 1, repetition: 0 },
      { case: 4, variant: 2, repetition: 0 },
    ]);
  });

  test("names its price where no model judges, of all cells and of some", async () => {
    await drawPage(page);
    const { view } = useExperiment.getState();
    if (view === null) throw new Error("no experiment is shown");
    const scorers = view.evaluation.scorers.filter(({ name }) => name === "not empty");
    const evaluation = { ...view.evaluation, scorers, primary: "not empty" };
    await act(async () => useEvaluation.getState().change(evaluation));
    await settle(400);
    await pressButton(byTestId(page, testIds.evalRunAll));
    expect(await answerQuestion(false)).toContain("Start 36 runs? 36 runs, at most 168 calls and $0.14.");
    await act(async () => useExperiment.setState({ view: { ...view, evaluation }, selected: new Set([4]) }));
    await pressButton(byTestId(page, testIds.evalRunSelected));
    expect(await answerQuestion(false)).toContain("Run 3 cells? They can cost up to $0.012.");
  });

  test("with problems shows them instead", async () => {
    await drawPage(page);
    await act(async () => useEvaluation.getState().change({ scorers: [] }));
    await settle(400);
    await pressButton(byTestId(page, testIds.evalRunAll));
    // The evaluation also names the removed scorer as the primary one.
    expect(lastToast()?.title).toBe("Fix 2 problems first");
    expect(byTestId(page, "eval-problem-scorers").textContent).toContain(
      "The evaluation has no scorer. Add one",
    );
    expect(byTestId(page, "eval-problem-primary").textContent).toContain("judge");
  });
});

describe("Run all just after a change", () => {
  test("is not held up by a problem that the change mended", async () => {
    await drawPage(page);
    const { scorers } = useEvaluation.getState().evaluation ?? { scorers: [] };
    await act(async () => useEvaluation.getState().change({ scorers: [] }));
    await settle(400);
    await act(async () => useEvaluation.getState().change({ scorers }));
    await pressButton(byTestId(page, testIds.evalRunAll));
    expect(await answerQuestion(false)).toContain("Start 36 runs?");
    expect(lastToast()).toBeUndefined();
  });

  test("is held up by a problem that the change made", async () => {
    await drawPage(page);
    await act(async () => useEvaluation.getState().change({ scorers: [] }));
    await pressButton(byTestId(page, testIds.evalRunAll));
    expect(lastToast()?.title).toBe("Fix 2 problems first");
  });
});

describe("a failure", () => {
  test("is said once, in words: a file that is not there", async () => {
    await drawPage(page, "/flows/none.eval.json");
    expect(lastToast()).toMatchObject({
      tone: "error",
      title: "The evaluation could not be opened",
      detail: failure("noEvaluation", "/flows/none.eval.json").message,
    });
    expect(page.host.textContent).toContain("No evaluation is open");
    expect(page.host.textContent).not.toContain("none.eval.json");
  });

  test("of the data stands where the cases would be", async () => {
    vi.spyOn(api(), "experiments").mockResolvedValue([]);
    const missing = failure("noData", "/flows/topics.jsonl");
    vi.spyOn(api(), "readCases").mockRejectedValue(missing);
    await drawPage(page);
    const alerts = page.host.querySelectorAll('[role="alert"]');
    expect(alerts).toHaveLength(1);
    expect(alerts[0]?.textContent).toContain(`The data could not be read. ${missing.message}`);
    expect(lastToast()).toBeUndefined();
  });

  test("of the start takes the progress away and says why", async () => {
    vi.spyOn(api(), "startExperiment").mockRejectedValue(
      new ApiFailure({ code: "io", message: "The disk is full. Free some space." }),
    );
    await drawPage(page);
    await pressButton(byTestId(page, testIds.evalRunAll));
    await answerQuestion(true);
    expect(useExperiment.getState().progress).toBeNull();
    expect(lastToast()).toMatchObject({
      title: "The experiment did not start",
      detail: "The disk is full. Free some space.",
    });
  });
});
