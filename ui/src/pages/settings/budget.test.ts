// The scale of the budget's slider, and the prices that the user entered.
import { describe, expect, test } from "vitest";
import type { Price } from "../../ipc/generated/bindings";
import { perMillion } from "../../runs/inputs/prices";
import { fromSlider, SLIDER_MARKS, SLIDER_STEPS, toSlider } from "./budget-scale";
import { addPrice, changePrice, NO_PRICE, removePrice } from "./prices";

describe("the slider", () => {
  test("goes from a cent to five dollars", () => {
    expect(fromSlider(0)).toBe(0.01);
    expect(fromSlider(SLIDER_STEPS)).toBe(5);
    expect(toSlider(0)).toBe(0);
    expect(toSlider(100)).toBe(SLIDER_STEPS);
  });

  test("its marks are amounts that it can be set to", () => {
    for (const usd of SLIDER_MARKS) expect(fromSlider(toSlider(usd))).toBe(usd);
  });

  test("never goes down as it is moved up", () => {
    const amounts = Array.from({ length: SLIDER_STEPS + 1 }, (_, i) => fromSlider(i));
    expect(amounts).toEqual([...amounts].sort((a, b) => a - b));
  });
});

describe("prices", () => {
  const ofProgram: Price = {
    provider: "openai",
    model: "gpt-4.1",
    input: 2,
    cachedInput: 0.5,
    output: 8,
    long: null,
    asOf: "2025-10-01",
    source: "https://example.org/pricing",
    own: false,
  };

  test("a price of the program's that is changed becomes one's own, dated anew", () => {
    const own = changePrice([], ofProgram, { output: 9 });
    expect(own).toEqual([{ ...ofProgram, output: 9, asOf: "", source: "set by you", own: true }]);
    expect(changePrice(own, own[0] as Price, { output: 10 })).toHaveLength(1);
    expect(removePrice(own, ofProgram)).toEqual([]);
  });

  test("one's own are added at the end, without spaces around their names", () => {
    const own = addPrice([], { ...NO_PRICE, provider: " openai ", model: "mine*", input: 0, output: 0 });
    expect(own[0]).toMatchObject({ provider: "openai", model: "mine*", own: true });
  });

  test("are written as people say them", () => {
    expect([null, 0, 2, 0.125].map(perMillion)).toEqual(["–", "free", "$2", "$0.125"]);
  });
});
