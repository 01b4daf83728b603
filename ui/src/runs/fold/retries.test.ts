// The text of cards and panels for calls that are retried, wait, or receive no data.
import { expect, test } from "vitest";
import { testBackend } from "../../ipc/testing";
import { retryWords, silenceWords } from "../words/format";
import { retriesOf, retriesWords } from "./retries";

test("a workflow's own policy comes before that of Settings", async () => {
  const settings = await testBackend().settings();
  const off = { ...settings, retryCalls: false };
  expect(retriesOf({}, settings)).toBe(3);
  expect(retriesOf({}, off)).toBe(0);
  expect(retriesOf({ settings: { retry: { type: "none" } } }, settings)).toBe(0);
  expect(retriesOf({ settings: { retry: { type: "exponential" } } }, off)).toBe(3);
  expect(retriesOf({ settings: { retry: { count: 1 } } }, settings)).toBe(1);
  expect(retriesWords(3)).toBe("3 retries by default");
  expect(retriesWords(1)).toBe("1 retry by default");
  expect(retriesWords(0)).toBe("not retried by default");
});

test("a pause counts down, with which attempt of how many follows", () => {
  expect(retryWords(2, { until: 10_000, of: 4 }, 8_100)).toBe("Attempt 2 of 4 in 2 s");
  expect(retryWords(2, { until: 10_000, of: 4 }, 10_000)).toBe("Attempt 2 of 4");
  // Runs of earlier versions have no maximum, and the user may ask for more attempts.
  expect(retryWords(2, { until: 0, of: null }, 1)).toBe("Attempt 2");
  expect(retryWords(5, { until: 0, of: 4 }, 1)).toBe("Attempt 5");
});

test("a silence says how long it is, and when it is given up", () => {
  expect(silenceWords({ since: 0, limitMs: 120_000 }, 30_900)).toBe(
    "No data for 30 s, times out after 2 min",
  );
  expect(silenceWords({ since: 0, limitMs: 300_000 }, 125_000)).toBe(
    "No data for 2 min 5 s, times out after 5 min",
  );
});
