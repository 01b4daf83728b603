// The fixes offered while nodes form a cycle.
import { expect, test } from "vitest";
import type { Edit, Problem } from "../ipc/generated/bindings";
import { problemOf } from "../ipc/testing/values";
import { readyFixes } from "./ready-fixes";

const problem = (code: string, edits: Edit[]): Problem => problemOf(code, { fix: { title: code, edits } });

const exit = { id: "exit", type: "exit", position: { x: 0, y: 0 }, data: {} };
const add: Edit = { op: "add_node", node: exit };
const wire: Edit = { op: "add_edge", edge: { id: "e", source: "a", target: "exit" } };
const cycle = problem("cycle", [{ op: "remove_edge", id: "e4" }]);

test("an Exit that could not be wired is offered once the cycle is gone", () => {
  expect(readyFixes([problem("no_end", [add]), cycle]).map(({ fix }) => fix?.title ?? null)).toEqual([
    null,
    "cycle",
  ]);
  expect(readyFixes([problem("no_end", [add])])[0]?.fix).not.toBeNull();
});

test("one that is wired is offered at once", () => {
  expect(readyFixes([problem("no_end", [add, wire]), cycle])[0]?.fix).not.toBeNull();
});
