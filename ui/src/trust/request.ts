// The tool call that a person is asked about. The tool itself says what it does, in lines that are made of what it would send or
// start; here they are only shown. Pure.
import type { Json, Question, RequestFact, StepDetail } from "../ipc/generated/bindings";

type Args = Readonly<Record<string, Json>>;

/** A tool call that waits for a person. */
export type ToolRequest = {
  /** `http.request`, `mcp:loud/shout` */
  readonly tool: string;
  /** The arguments as the call would use them: templates are filled in, secrets are only named. */
  readonly args: Args;
  /** The call was cut off and may have had its effect: it is made again exactly as it was, or not at all. */
  readonly isRepeat: boolean;
  /** Arguments that an answer cannot change. */
  readonly fixed: readonly string[];
  readonly facts: readonly RequestFact[];
  /** Why the call would fail before it does anything. */
  readonly problem: string | null;
};

/** The tool that a question is about; null where it is about none. */
export const toolAsked = (question: Question | null): string | null =>
  question === null || question.type === "approve" ? null : question.tool;

/** Whether the question is about doing something a second time. */
export const asksToRepeat = (question: Question | null): boolean => question?.type === "repeat";

/** The call that a waiting step asks for; null where it asks for something else. */
export function toolRequest(detail: Pick<StepDetail, "output" | "request">): ToolRequest | null {
  const { request, output } = detail;
  if (!request) return null;
  const { tool, again, fixed, facts, problem } = request;
  return { tool, args: output as Args, isRepeat: again, fixed, facts, problem };
}

/** The arguments that an answer may change. */
export const editableArgs = ({ args, fixed }: Pick<ToolRequest, "args" | "fixed">): string[] =>
  Object.keys(args).filter((name) => !fixed.includes(name));
