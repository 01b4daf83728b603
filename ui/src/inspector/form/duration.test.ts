// Durations in human form and in the document's format.
// @vitest-environment node
import { describe, expect, test } from "vitest";
import { durationToMs, msToDuration, readDuration, writeDuration } from "./duration";

describe("readDuration", () => {
  test.each([
    ["5 s", 5000],
    ["5s", 5000],
    ["2 min", 120_000],
    ["2 minutes", 120_000],
    ["1h 30m", 5_400_000],
    ["1 hour and 30 minutes", 5_400_000],
    ["1.5 hours", 5_400_000],
    ["1,5 h", 5_400_000],
    ["500 ms", 500],
    ["90", 90_000],
    ["0.5", 500],
    ["1:30", 90_000],
    ["1:00:05", 3_605_000],
    ["PT5M", 300_000],
    ["pt5m", 300_000],
    ["1 d", 86_400_000],
    ["P1W", 604_800_000],
    ["0", 0],
  ])("%s", (text, ms) => expect(readDuration(text)).toBe(ms));

  test.each(["", "soon", "5 parsecs", "-5 s", "5 min 3", "1:75", "P1M", "min", "5 s of rest"])(
    "%s is no duration",
    (text) => expect(readDuration(text)).toBeNull(),
  );
});

test("what is written is read back, by people's words and by the document's", () => {
  for (const ms of [0, 1, 500, 999, 1000, 1500, 59_999, 60_000, 90_500, 3_600_000, 5_400_000, 90_061_001]) {
    expect(readDuration(writeDuration(ms)), writeDuration(ms)).toBe(ms);
    expect(durationToMs(msToDuration(ms)), msToDuration(ms)).toBe(ms);
  }
  expect(writeDuration(150_000)).toBe("2 min 30 s");
  expect(writeDuration(1500)).toBe("1.5 s");
  expect(msToDuration(150_000)).toBe("PT2M30S");
});
