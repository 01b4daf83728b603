// The matches of a few typed letters, and their order.
// @vitest-environment node
import { describe, expect, it } from "vitest";
import { fuzzy } from "./fuzzy";

const best = (query: string, names: string[]) =>
  names
    .map((name) => ({ name, match: fuzzy(query, name) }))
    .filter((x) => x.match !== null)
    .sort((a, b) => (b.match?.score ?? 0) - (a.match?.score ?? 0))
    .map((x) => x.name);

describe("fuzzy", () => {
  it("takes the first letters of words before letters within them", () => {
    expect(best("sa", ["Usage", "Save", "Select all", "Save as…"])[0]).toMatch(/^Sa|^Select all/);
    expect(best("saa", ["Canvas area", "Save as…"])[0]).toBe("Save as…");
    expect(best("as", ["Tidy canvas", "Agentic Search"])[0]).toBe("Agentic Search");
  });
  it("takes a whole word before scattered letters", () => {
    expect(best("run", ["Replace under name", "Run", "Draft until new"])[0]).toBe("Run");
  });
  it("wants all words, in any order, and nothing that is not there", () => {
    expect(fuzzy("search agentic", "Agentic Search")).not.toBeNull();
    expect(fuzzy("search x", "Agentic Search")).toBeNull();
    expect(fuzzy("hcraes", "Search")).toBeNull();
  });
  it("says where the letters stand", () => {
    expect(fuzzy("sv", "Save")?.at).toEqual([0, 2]);
    expect(fuzzy("", "Save")?.at).toEqual([]);
  });
  it("sees a capital within a word as a beginning", () => {
    expect(best("fd", ["FindData", "Unfolded"])[0]).toBe("FindData");
  });
});
