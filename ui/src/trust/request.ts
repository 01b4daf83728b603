// The tool call that the user is asked about. The tool itself describes the effect of the call, in lines
// derived from what the call would send or start. The pages only show these lines. Pure.
import type { Json, Question, RequestFact, StepDetail } from "../ipc/generated/bindings";

type Args = Readonly<Record<string, Json>>;

/** A tool call that waits for a person. */
export type ToolRequest = {
  /** The tool's name: `http.request`, `mcp:loud/shout`. */
  readonly tool: string;
  /** The arguments as the call would use them: templates are filled in, but secrets appear only by name. */
  readonly args: Args;
  /**
   * Whether the call was cut off earlier and may already have had its effect. Such a call can be repeated
   * only with the same arguments.
   */
  readonly isRepeat: boolean;
  /** The arguments that an answer cannot change. */
  readonly fixed: readonly string[];
  readonly facts: readonly RequestFact[];
  /** Why the call would fail before it has any effect; null if it would not fail. */
  readonly problem: string | null;
};

/** Returns the tool that a question is about; null if it is not about a tool. */
export const toolAsked = (question: Question | null): string | null =>
  question === null || question.type === "approve" ? null : question.tool;

/** Returns whether the question is about repeating a call that was cut off. */
export const asksToRepeat = (question: Question | null): boolean => question?.type === "repeat";

/** Returns the call for which a waiting step asks permission; null if the step asks for something else. */
export function toolRequest(detail: Pick<StepDetail, "output" | "request">): ToolRequest | null {
  const { request, output } = detail;
  if (!request) return null;
  const { tool, again, fixed, facts, problem } = request;
  return { tool, args: output as Args, isRepeat: again, fixed, facts, problem };
}

/** Returns the arguments that an answer may change. */
export const editableArgs = ({ args, fixed }: Pick<ToolRequest, "args" | "fixed">): string[] =>
  Object.keys(args).filter((name) => !fixed.includes(name));
