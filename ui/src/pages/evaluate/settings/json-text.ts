// Converts between a value of a file and the text that the user types for it: JSON if the text is valid JSON,
// otherwise a string. Pure.
import type { Json } from "../../../ipc/generated/bindings";

export function parseValue(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Returns the text with which a user can type a value. A string that would be parsed as another JSON value is
 * quoted.
 */
export function valueText(value: Json): string {
  if (typeof value !== "string") return value === undefined ? "" : JSON.stringify(value);
  return parseValue(value) === value ? value : JSON.stringify(value);
}
