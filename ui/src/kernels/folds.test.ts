// Folds: only the outermost one is drawn, and wires end at it.
import { describe, expect, it } from "vitest";
import { foldedHandle, outermost, realHandle, visibleEnds } from "./folds";

const { visible, hiddenBy } = outermost([
  { id: "inner", hidden: ["x", "y"] },
  { id: "group:g", hidden: ["inner", "x", "y", "z"] },
  { id: "loop", hidden: ["a", "b"] },
]);

describe("folds", () => {
  it("draw the outermost alone", () => {
    expect(visible.map((fold) => fold.id)).toEqual(["group:g", "loop"]);
    expect(hiddenBy.get("x")).toBe("group:g");
    expect(hiddenBy.get("inner")).toBe("group:g");
    expect(hiddenBy.get("loop")).toBeUndefined();
  });
  it("overlap without hiding a node twice", () => {
    const both = outermost([
      { id: "g", hidden: ["a", "b", "c"] },
      { id: "l", hidden: ["c", "d"] },
      { id: "m", hidden: ["c"] },
    ]);
    expect(both.visible).toEqual([
      { id: "g", hidden: ["a", "b", "c"] },
      { id: "l", hidden: ["d"] },
    ]);
  });
  it("take the ends of wires that cross their border, and swallow those within", () => {
    const wire = (source: string, target: string) =>
      visibleEnds({ source, sourceHandle: "o", target, targetHandle: "i" }, hiddenBy);
    expect(wire("p", "q")).toEqual({ source: "p", sourceHandle: "o", target: "q", targetHandle: "i" });
    expect(wire("p", "x")).toEqual({
      source: "p",
      sourceHandle: "o",
      target: "group:g",
      targetHandle: foldedHandle("x", "i"),
    });
    expect(wire("a", "z")).toMatchObject({ source: "loop", target: "group:g" });
    expect(wire("loop", "a")).toBeNull();
    expect(wire("b", "loop")).toBeNull();
    expect(wire("x", "y")).toBeNull();
    expect(realHandle("loop", foldedHandle("b", "o"))).toEqual({ node: "b", handle: "o" });
    expect(realHandle("p", "o")).toEqual({ node: "p", handle: "o" });
  });
});
