// Writing conditions from pickers and reading them back.
// @vitest-environment node
import { describe, expect, test } from "vitest";
import {
  COMPARISONS,
  type Condition,
  isComplete,
  isName,
  type Operand,
  type Operator,
  operandTypes,
  type Row,
  readCondition,
  shownCondition,
  takesOperand,
  writeCondition,
} from "./condition";

const OPERATORS: readonly Operator[] = [
  ...COMPARISONS,
  ...COMPARISONS.map((c) => `length ${c}` as const),
  "contains",
  "not contains",
  "starts with",
  "ends with",
  "matches",
  "not matches",
  "is true",
  "is false",
  "is empty",
  "is not empty",
  "exists",
  "is missing",
];

/** A seeded random generator, so that a failure can be reproduced from the seed in its message. */
function random(seed: number) {
  let state = seed * 2654435761 + 1;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return { next, pick: <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T };
}

const NAMES = [
  "result",
  "result.score",
  "draft.response",
  "vars.tries",
  "previous.draft.output",
  'nodes["my node"].output',
  "results[0].title",
  "nothing",
  "notes",
  "android",
] as const;
const TEXTS = [
  "",
  "done",
  'say "hi"',
  "back\\slash",
  "two\nlines",
  "it's",
  "`",
  "≥ é",
  "{{ x }}",
  "and or not",
];
const NUMBERS = ["0", "12", "-1", "0.95", "-0.5"];

function anyCondition(seed: number): Condition {
  const { next, pick } = random(seed);
  const operandOf = (type: Operand["type"]): Operand => {
    if (type === "text") return { type, text: pick(TEXTS) };
    if (type === "number") return { type, text: pick(NUMBERS) };
    if (type === "boolean") return { type, text: pick(["true", "false"] as const) };
    return type === "nothing" ? { type } : { type, text: pick(NAMES) };
  };
  const rows = Array.from({ length: 1 + Math.floor(next() * 4) }, (): Row => {
    const operator = pick(OPERATORS);
    const operand = takesOperand(operator) ? operandOf(pick(operandTypes(operator))) : null;
    return { value: pick(NAMES), operator, operand };
  });
  return { joined: rows.length > 1 ? pick(["and", "or"] as const) : "and", rows };
}

describe("round trip", () => {
  test("what the pickers write, they read back as the same rows", () => {
    for (let seed = 0; seed < 3000; seed++) {
      const condition = anyCondition(seed);
      const written = writeCondition(condition);
      expect(readCondition(written), `seed ${seed}: ${written}`).toEqual(condition);
    }
  });

  test("what they read is written the same once more", () => {
    for (const source of [
      "result|length>=12",
      "  input.score   >= 8 ",
      "a.b == 'x' and c is not defined",
      "not done or tries > 3",
      'x is containing(pat="y")',
      'x is matching(pat="^[0-9]+$") and y is not matching(pat="a|b")',
      "x == none",
      "x != True",
    ]) {
      const rows = readCondition(source);
      expect(rows, source).not.toBeNull();
      if (rows) expect(readCondition(writeCondition(rows))).toEqual(rows);
    }
  });

  test("no text, however odd, reads as rows that lose a part of it", () => {
    const pieces = [
      "result",
      "and",
      "or",
      "not",
      ">=",
      "12",
      '"x"',
      "|",
      "length",
      "(",
      ")",
      "is",
      "in",
      "+",
      ".",
    ];
    for (let seed = 0; seed < 3000; seed++) {
      const { next, pick } = random(seed + 90_000);
      const source = Array.from({ length: 1 + Math.floor(next() * 7) }, () => pick(pieces)).join(" ");
      const rows = readCondition(source);
      // Every token appears in the rewritten condition, so nothing was skipped.
      if (rows) expect(writeCondition(rows).replaceAll(" ", ""), source).toBe(source.replaceAll(" ", ""));
    }
  });
});

describe("what rows cannot say stays text", () => {
  test.each([
    "(a or b) and c",
    "a and b or c",
    "score * 2 > 10",
    "x in [1, 2]",
    "draft.score | round > 3",
    "x if y else z",
    "not a == b",
    "x is not starting_with(pat='a')",
    "a ==",
    "== 1",
    "a b",
    'x == "open',
    "x == 'bad \\q escape'",
    "vars. == 1",
  ])("%s", (source) => {
    expect(readCondition(source)).toBeNull();
    expect(shownCondition(source)).toBe(source);
  });
});

test("an empty condition has no rows and is written as nothing", () => {
  expect(readCondition("  ")).toEqual({ joined: "and", rows: [] });
  expect(writeCondition({ joined: "or", rows: [] })).toBe("");
});

test("rows that are not filled in are left out of the expression", () => {
  const whole: Row = { value: "result", operator: "length >=", operand: { type: "number", text: "12" } };
  const open: Row = { value: "", operator: "==", operand: { type: "text", text: "x" } };
  expect(isComplete(open)).toBe(false);
  expect(isComplete({ ...whole, operand: { type: "number", text: "a dozen" } })).toBe(false);
  expect(writeCondition({ joined: "and", rows: [open, whole] })).toBe("result | length >= 12");
});

test("a name is a name with fields and constant keys", () => {
  for (const name of NAMES) expect(isName(name), name).toBe(true);
  for (const other of ["", "a b", "1a", "a.", "a + b", "true", "not", "a | upper", "a[b]"])
    expect(isName(other), other).toBe(false);
});

test("a card shows signs instead of operators, and lengths as they are said", () => {
  expect(shownCondition("results | length >= 12")).toBe("len(results) ≥ 12");
  expect(shownCondition('status != "ok" and not done')).toBe('status ≠ "ok" and not done');
  expect(shownCondition("critique.score >= 8.5")).toBe("critique.score ≥ 8.5");
  expect(shownCondition('x | default(value="") | length == 0')).toBe("x is empty");
});
