// Rust's descriptions of the tool calls of two recorded runs that wait for an answer.
import type { Json, ToolRequest } from "../generated/bindings";
import * as recordings from "../generated/recorded/runs";
import { answerTo } from "./recorded";

const WAITING = { "http.request": recordings.waitingCall, command: recordings.waitingCommand };

/** The id of the node that waits in each of these runs. */
export const ASKING = "fetch";

/** Returns the step that waits for an answer about a tool. */
export function waitingStep(tool: keyof typeof WAITING) {
  const step = WAITING[tool].steps[ASKING];
  if (!step) throw new Error(`No step that waits for \`${tool}\` is recorded.`);
  return step;
}

/**
 * Describes a call with these arguments. If `again` is true, the call was cut off earlier, and the question
 * is whether to repeat it.
 */
export function testToolRequest(
  tool: keyof typeof WAITING,
  args: Readonly<Record<string, Json>>,
  again = false,
): ToolRequest {
  const { runId } = WAITING[tool].detail.summary;
  const request = answerTo("describeCall", [runId, ASKING, args]);
  return again ? { ...request, again, fixed: Object.keys(args) } : request;
}
