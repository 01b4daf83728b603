// Nested hulls: the space that the inner ones need.
// @vitest-environment node
import { expect, test } from "vitest";
import type { Region } from "../ipc/generated/bindings";
import { nestingIn, withRoom } from "./nested-hulls";

const region = (start: string, body: string[], end: string): Region =>
  ({ start, body, end, depth: 0, repeats: "loop", maxIterations: 3 }) as unknown as Region;

const innermost = region("c", ["work"], "c_exit");
const inner = region("b", ["c", "work", "c_exit"], "b_exit");
const outer = region("a", ["b", "c", "work", "c_exit", "b_exit", "after"], "a_exit");
const all = [outer, inner, innermost];

test("nodes count the loops that they lie in, within the one that is drawn", () => {
  expect(Object.fromEntries(nestingIn(outer, all, () => false))).toEqual({
    b: 1,
    b_exit: 1,
    c: 2,
    work: 2,
    c_exit: 2,
  });
  expect(Object.fromEntries(nestingIn(inner, all, () => false))).toEqual({ c: 1, work: 1, c_exit: 1 });
  expect(nestingIn(innermost, all, () => false).size).toBe(0);
  expect(Object.fromEntries(nestingIn(outer, all, (start) => start === "c"))).toEqual({
    ...{ b: 1, b_exit: 1 },
    ...{ c: 1, work: 1, c_exit: 1 },
  });
});

test("a box has room on all sides for each hull around it, and none for none", () => {
  const box = { left: 0, top: 0, right: 100, bottom: 50 };
  expect(withRoom(box, 0)).toBe(box);
  const [one, two] = [withRoom(box, 1), withRoom(box, 2)];
  for (const side of ["left", "top"] as const) expect(two?.[side]).toBeLessThan(one?.[side] ?? 0);
  for (const side of ["right", "bottom"] as const) expect(two?.[side]).toBeGreaterThan(one?.[side] ?? 0);
  expect(withRoom(null, 2)).toBeNull();
});
