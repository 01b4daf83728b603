// The text of cells, merging results into rows, tables as CSV, and values as typed text.
import { expect, test } from "vitest";
import type { CellResult, ExperimentRow } from "../../ipc/evaluation";
import { caseAt, cellAt, exampleEvaluation } from "../../ipc/testing/evaluation-data";
import { columnsOf, exitText, formatDifference, formatScore, scoreText } from "./columns";
import { withResults } from "./experiment-store";
import { gridOf } from "./policies";
import { parseValue, valueText } from "./settings/json-text";
import { csvOf } from "./table";

test("a score without a value is unscored, never zero", () => {
  expect(scoreText({ reason: "No reference." })).toEqual({
    text: "unscored",
    title: "No reference.",
    tone: "muted",
  });
  expect(scoreText({ value: 0 }).text).toBe("0");
  expect(scoreText({ value: 0, isBoolean: true }).text).toBe("no");
  expect(scoreText({ value: 7.456 }).text).toBe("7.46");
  expect(formatScore(-0.001)).toBe("0");
  expect(formatScore(-0.04)).toBe("−0.04");
});

test("an exit reason is a title, and one that was exhausted looks like a limit", () => {
  const result = { exitReason: "max_iterations", exhausted: true } as CellResult;
  expect(exitText(result)).toEqual({ text: "Max iterations", tone: "tone-limit" });
  expect(exitText({ ...result, exitReason: null }).text).toBe("");
});

test("there are columns for each variant and repetition", () => {
  const columns = columnsOf({ ...exampleEvaluation, repetitions: 2 }, ["brief"], true, true);
  const groups = [...new Set(columns.map(({ group }) => group))];
  expect(groups).toEqual([
    null,
    "cap 3, 1 of 2",
    "cap 3, 2 of 2",
    "cap 6, 1 of 2",
    "cap 6, 2 of 2",
    "one more, 1 of 2",
    "one more, 2 of 2",
  ]);
  expect(columns.find(({ id }) => id === "3.output")?.cell).toBe(3);
});

test("what a run costs and takes is shown once it has ended", () => {
  const columns = columnsOf(exampleEvaluation, ["brief"], true, true);
  const result = cellAt(exampleEvaluation, { case: 1, variant: 0, repetition: 0 });
  const texts = (one: CellResult) =>
    ["0.cost", "0.time"].map(
      (id) => columns.find((column) => column.id === id)?.read({ case: caseAt(1), cells: [one] }).text,
    );
  expect(texts({ ...result, status: "running", durationMs: 0 })).toEqual(["", ""]);
  expect(texts({ ...result, durationMs: 0 })[1]).toBe("0 ms");
});

test("results are put into the rows that were read, and no others", () => {
  const row = (index: number): ExperimentRow => ({ case: caseAt(index), cells: [null, null, null] });
  const pages = new Map([[0, [row(0), row(1)]]]);
  const result = cellAt(exampleEvaluation, { case: 1, variant: 2, repetition: 0 });
  const next = withResults(pages, [result, { ...result, cell: { ...result.cell, case: 150 } }], 1);
  expect(next.get(0)?.[1]?.cells).toEqual([null, null, result]);
  expect(next.get(0)?.[0]).toBe(pages.get(0)?.[0]);
  expect(next.has(1)).toBe(false);
  expect(pages.get(0)?.[1]?.cells[2]).toBeNull();
  expect(withResults(pages, [], 1)).toBe(pages);
});

test("CSV quotes commas, quotes and line breaks", () => {
  expect(
    csvOf({
      head: ["a", "b"],
      rows: [
        ["x, y", 'say "hi"'],
        [1, "two\nlines"],
      ],
    }),
  ).toBe('a,b\r\n"x, y","say ""hi"""\r\n1,"two\nlines"');
});

test("a value that is typed is JSON where it is JSON, and comes back as it was", () => {
  for (const value of [3, true, null, "text", "3", "true", { a: [1] }, ""])
    expect(parseValue(valueText(value))).toEqual(value);
  expect(parseValue("two words")).toBe("two words");
});

test("differences have their sign, and the grid every cap", () => {
  expect(formatDifference(0.42)).toBe("+0.42");
  expect(formatDifference(-0.08)).toBe("−0.08");
  expect(gridOf(3).slice(0, 4)).toEqual(["cap=1", "cap=2", "cap=3", "stable=0.9,patience=1,cap=3"]);
});
