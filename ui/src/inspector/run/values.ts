// Values as text, for reading, comparing and copying. Pure.
import type { Json, StepDetail } from "../../ipc/generated/bindings";

/** A text as it is, anything else as indented JSON, nothing as an empty text. */
export function valueText(value: Json): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** What a step gave: its primary value, else its handles. */
export function outputText(detail: StepDetail): string {
  if (detail.output !== null && detail.output !== undefined) return valueText(detail.output);
  const handles = Object.entries(detail.handles);
  return handles.length === 1
    ? valueText(handles[0]?.[1])
    : handles.length === 0
      ? ""
      : valueText(detail.handles);
}
