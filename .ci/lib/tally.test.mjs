// The counts of test programs that are run a second time.
import { describe, expect, it } from "vitest";
import { Tally } from "./tally.mjs";

/** Returns a tally of these lines of cargo. */
function tallyOf(...lines) {
  const tally = new Tally();
  for (const line of lines) tally.cargoLine(line);
  return tally;
}

const RESULT = "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured";

describe("Rust tests that failed", () => {
  it("count as passed if they pass the second time, and are named", () => {
    const first = tallyOf("test a::one ... FAILED", "test b::two ... FAILED", "test c ... ok", RESULT);
    const second = tallyOf(
      "test a::one ... ok",
      "test b::two ... FAILED",
      "test result: FAILED. 1 passed; 1 failed; 0 ignored",
    );
    first.triedRustAgain(second);
    expect([first.passed, first.failed]).toEqual([4, 1]);
    expect(first.line()).toBe("PASSED AT THE SECOND TRY: a::one\nFAILED: b::two\n4 passed, 1 failed");
  });

  it("are named without what cargo says of a panic", () => {
    expect(tallyOf("test a ... FAILED", "test b - should panic ... FAILED").failedRust).toEqual(["a", "b"]);
  });
});

describe("journeys that failed", () => {
  it("are named if they pass the second time, for each display its own", () => {
    const failed = { status: "failed", assertionResults: [{ status: "failed", fullName: "is run" }] };
    const second = {
      testResults: ["/one.test.ts", "/two.test.ts"].map((name) => ({ name, status: "passed" })),
    };
    const tally = new Tally();
    tally.triedAgain({ testResults: [{ name: "/one.test.ts", ...failed }] }, second);
    tally.triedAgain({ testResults: [{ name: "/two.test.ts", ...failed }] }, second);
    expect(tally.atSecondTry).toEqual(["one.test.ts: is run", "two.test.ts: is run"]);
  });
});

describe("tests of the pages that failed", () => {
  it("are named with their file, and a file that could not be loaded by its own name", () => {
    const tally = new Tally();
    const failed = { status: "failed", fullName: "a card is drawn" };
    tally.vitest({
      testResults: [
        { name: "/card.test.tsx", status: "failed", assertionResults: [failed] },
        { name: "/broken.test.ts", status: "failed", assertionResults: [] },
        { name: "/good.test.ts", status: "passed", assertionResults: [{ status: "passed" }] },
      ],
    });
    const all = new Tally();
    all.add(tally);
    const named = "FAILED: card.test.tsx: a card is drawn\nFAILED: broken.test.ts";
    expect(all.line()).toBe(`${named}\n1 passed, 2 failed`);
  });
});

describe("a step that ended with an error", () => {
  it("is a failure with a name if no test failed", () => {
    const tally = new Tally();
    tally.step(0, 0, "never");
    tally.step(101, 0, "cargo test ended with status 101");
    tally.step(101, 0, "counted already");
    expect(tally.line()).toBe("FAILED: cargo test ended with status 101\n0 passed, 1 failed");
    const missing = new Tally();
    missing.vitest(null, "the report of e2e");
    expect(missing.line()).toBe("FAILED: the report of e2e is missing\n0 passed, 1 failed");
  });
});

describe("several tallies", () => {
  it("add up, and name once what could not be reached", () => {
    const all = tallyOf("SKIPPED: no PostgreSQL", "test result: ok. 2 passed; 0 failed; 1 ignored");
    all.add(tallyOf("SKIPPED: no PostgreSQL", "test result: ok. 3 passed; 0 failed; 0 ignored"));
    expect(all.line()).toBe("NOT TESTED: no PostgreSQL\n5 passed, 0 failed, 1 skipped");
  });
});
