// Converts between values of a file and typed text: JSON if it is valid JSON, otherwise a text. Pure.
import type { Json } from "../../../ipc/generated/bindings";

export function parseValue(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The inverse. A text that would be parsed as another value is quoted. */
export function valueText(value: Json): string {
  if (typeof value !== "string") return value === undefined ? "" : JSON.stringify(value);
  return parseValue(value) === value ? value : JSON.stringify(value);
}
