// Computes how close a condition is to being met if it compares numbers: "7.6 / 8.5". Pure.
import type { Json } from "../../ipc/generated/bindings";
import { type Comparison, type Condition, type Row, readCondition } from "../../kernels/condition";
import type { Iteration } from "../../runs/fold/model";
import { round } from "../run/StatGrid";

export type Distance = {
  readonly says: string;
  /** The progress from 0 to 1, where 1 means that the condition is met. */
  readonly near: number;
};

/** Returns the value of a name in an iteration; undefined if it is unknown here. */
export type Lookup = (name: string) => Json | undefined;

/** Parses a preview back to its value; returns undefined if the preview was truncated. */
function valueIn(preview: string | null | undefined): Json | undefined {
  if (preview === null || preview === undefined || preview.endsWith("…")) return undefined;
  if (!/^[[{\d-]|^(true|false|null)$/.test(preview)) return preview;
  try {
    return JSON.parse(preview) as Json;
  } catch {
    return preview;
  }
}

const PATH = /^([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)$/;

/**
 * Returns a function that looks up names as a condition in this iteration would. A name in `own`, with the
 * preview of its value, takes precedence over the iteration's own names.
 */
export function lookupIn(iteration: Iteration, own: Readonly<Record<string, string | null>> = {}): Lookup {
  return (name) => {
    const [, root = "", rest = ""] = PATH.exec(name) ?? [];
    const fields = rest.split(".").filter(Boolean);
    if (root === "loopCount") return iteration.number;
    if (root === "loopIndex") return iteration.number - 1;
    const preview =
      root in own
        ? own[root]
        : root === "result"
          ? iteration.resultPreview
          : root === "input"
            ? iteration.inputPreview
            : iteration.scope.steps[root]?.preview;
    let value = valueIn(preview);
    for (const field of fields) {
      const held =
        typeof value === "object" && value !== null ? (value as Record<string, Json>)[field] : undefined;
      // A node's main value can also be read by the name of its handle.
      if (held === undefined && fields.length === 1 && root in iteration.scope.steps && !isObject(value))
        return value;
      value = held;
    }
    return value;
  };
}

const isObject = (value: Json | undefined) => typeof value === "object" && value !== null;

const OPPOSITE: Readonly<Record<Comparison, Comparison>> = {
  "==": "!=",
  "!=": "==",
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
};

/**
 * Returns the progress of the row that decides when a condition is met (for `while`: when it stops being
 * true); null unless every row of the condition compares numbers that are known.
 */
export function distanceOf(expression: string, repeat: "until" | "while", lookup: Lookup): Distance | null {
  const condition = readCondition(expression);
  if (condition === null) return null;
  const found = condition.rows.map((row) => rowDistance(row, repeat, lookup));
  if (found.length === 0 || found.some((d) => d === null)) return null;
  const known = found as Distance[];
  // If all rows must be true, the row farthest from being met counts; if one row is enough, the nearest. The
  // rows of a `while` condition are negated.
  const all = (joinedFor(condition, repeat) === "and") === true;
  return known.reduce((a, b) => (all === a.near <= b.near ? a : b));
}

const joinedFor = ({ joined }: Condition, repeat: "until" | "while") =>
  repeat === "until" ? joined : joined === "and" ? "or" : "and";

function rowDistance(row: Row, repeat: "until" | "while", lookup: Lookup): Distance | null {
  const length = row.operator.startsWith("length ");
  const written = (length ? row.operator.slice("length ".length) : row.operator) as Comparison;
  if (!(written in OPPOSITE) || row.operand === null) return null;
  const operator = repeat === "until" ? written : OPPOSITE[written];
  const value = numberOf(lookup(row.value), length);
  const target =
    row.operand.type === "number"
      ? Number(row.operand.text)
      : row.operand.type === "value"
        ? numberOf(lookup(row.operand.text), false)
        : null;
  if (value === null || target === null) return null;
  return { says: `${round(value)} / ${round(target)}`, near: nearness(operator, value, target) };
}

function numberOf(value: Json | undefined, length: boolean): number | null {
  if (!length) return typeof value === "number" ? value : null;
  if (typeof value === "string") return [...value].length;
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value as object).length : null;
}

function nearness(operator: Comparison, value: number, target: number): number {
  const met = {
    "==": value === target,
    "!=": value !== target,
    "<": value < target,
    "<=": value <= target,
    ">": value > target,
    ">=": value >= target,
  }[operator];
  if (met) return 1;
  const [part, whole] = operator.startsWith("<") ? [target, value] : [value, target];
  // A condition that is not met is never drawn as complete, however close it is.
  return whole > 0 && part >= 0 ? Math.min(0.98, part / whole) : 0;
}
