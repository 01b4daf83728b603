// Values of a file as a person types them: JSON where it is JSON, else a text. Pure.
import type { Json } from "../../../ipc/generated/bindings";

export function parseValue(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The reverse: a text that would be read as another value is quoted. */
export function valueText(value: Json): string {
  if (typeof value !== "string") return value === undefined ? "" : JSON.stringify(value);
  return parseValue(value) === value ? value : JSON.stringify(value);
}
