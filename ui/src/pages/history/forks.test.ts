// Where forks are placed in the list of runs.
import { expect, test } from "vitest";
import type { RunSummary } from "../../ipc/generated/bindings";
import { runSummary } from "../../ipc/testing/values";
import { depths, underParents } from "./forks";

const run = (runId: string, parent?: string): RunSummary =>
  runSummary({ runId, forkedFrom: parent === undefined ? null : { runId: parent, at: "draft" } });
const order = (...runs: RunSummary[]) => underParents(runs).map(({ runId }) => runId);

test("a fork stands under its parent, the newest first, and its own forks under it", () => {
  const runs = [run("d", "b"), run("c", "a"), run("new"), run("b", "a"), run("a"), run("old")];
  expect(order(...runs)).toEqual(["new", "a", "c", "b", "d", "old"]);
  expect([...depths([underParents(runs)])]).toEqual([
    ["c", 1],
    ["b", 1],
    ["d", 2],
  ]);
});

test("a fork whose parent is on another page stays where it is, at the edge", () => {
  const page = [run("b", "gone"), run("x")];
  expect(order(...page)).toEqual(["b", "x"]);
  expect(depths([page, [run("gone")]]).size).toBe(0);
});

test("a page without forks is the same list", () => {
  const page = [run("b"), run("a")];
  expect(underParents(page)).toBe(page);
});

test("runs that say that they come from each other are all listed", () => {
  expect(order(run("c"), run("b", "a"), run("a", "b"), run("own", "own"))).toEqual(["c", "b", "a", "own"]);
});
