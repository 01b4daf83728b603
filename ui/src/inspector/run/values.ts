// Values as text, for reading, comparing and copying. Pure.
import type { Json, StepDetail } from "../../ipc/generated/bindings";
import { formatCost, formatCount, formatDuration, totalTokens } from "../../runs/words/format";
import type { ValueForm } from "../../session/inspector-view";

/** Returns a string unchanged, any other value as indented JSON, and an empty string if there is no value. */
export function valueText(value: Json): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/**
 * Returns the output of a step as text: its primary value, or the values of all its handles if it has no
 * primary value.
 */
export function outputText(detail: StepDetail): string {
  if (detail.output !== null && detail.output !== undefined) return valueText(detail.output);
  const handles = Object.entries(detail.handles);
  return handles.length === 1
    ? valueText(handles[0]?.[1])
    : handles.length === 0
      ? ""
      : valueText(detail.handles);
}

/** Returns the parsed content if the value is a string with JSON, otherwise the value itself. */
export function parsed(value: Json): Json {
  if (typeof value !== "string") return value;
  const text = value.trim();
  if (!/^[[{]/.test(text) || text.length > MAX_PARSED_CHARACTERS) return value;
  try {
    return JSON.parse(text);
  } catch {
    // A string that only starts like JSON is shown as text.
    return value;
  }
}

/** The maximum length of a string that is parsed as JSON, in characters. */
const MAX_PARSED_CHARACTERS = 2_000_000;

/** Returns the display formats of a value, the default one first. */
export function formsOf(value: Json): ValueForm[] {
  if (typeof value !== "string") return value === null || value === undefined ? ["text"] : ["json", "text"];
  return typeof parsed(value) === "string" ? ["text", "markdown"] : ["text", "json"];
}

/** Returns a fenced block with more backticks than the text contains, so that the text cannot close it. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Returns a step as Markdown, to paste into a discussion: name, model, measures, prompt and output. */
export function stepMarkdown(label: string, detail: StepDetail): string {
  const { usage } = detail;
  const facts = [
    detail.model,
    formatDuration(detail.durationMs),
    usage.calls > 0 ? `${formatCount(totalTokens(usage))} tokens` : null,
    usage.calls > 0 ? formatCost(usage) : null,
    detail.pinned ? "preset value" : null,
  ].filter(Boolean);
  const language = (value: Json) => (typeof value === "string" ? "" : "json");
  const parts = [`## ${label} (\`${detail.path}\`)`, facts.join(", ")];
  for (const [name, value] of Object.entries(detail.inputs)) {
    if (detail.prompt === null) parts.push(`### Input ${name}`, fenced(valueText(value), language(value)));
  }
  if (detail.prompt !== null) parts.push("### Prompt", fenced(detail.prompt));
  if (detail.error !== null) parts.push("### Error", `\`${detail.error.code}\` ${detail.error.message}`);
  else parts.push("### Output", fenced(outputText(detail), language(detail.output)));
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}
