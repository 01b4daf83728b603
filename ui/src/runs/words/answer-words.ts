// The labels of the two answers to a waiting node. A node with branches sends its value on or back; any other
// node asks for permission, for this call or for a repetition.
import { useDocument } from "../../document/document";
import { useKind } from "../../document/kinds";
import type { Question } from "../../ipc/generated/bindings";
import { asksToRepeat, toolAsked } from "../../trust/request";

export type AnswerWords = { readonly yes: string; readonly no: string; readonly comment: string };

/** Returns the labels. `branches` means the answer chooses where the node's value goes. */
export function answerWords(branches: boolean, question: Question | null): AnswerWords {
  if (branches) return { yes: "Approve", no: "Send back", comment: "Comment" };
  if (asksToRepeat(question)) return { yes: "Make it again", no: "Do not repeat", comment: "Reason" };
  return { yes: "Allow once", no: "Deny", comment: "Reason" };
}

/**
 * Returns whether a waiting node asks about a tool call. An approval never does, even if a foreign run says
 * so.
 */
export function useAsksForCall(nodeId: string, question: Question | null): boolean {
  const type = useDocument((s) => s.document.nodes.find((node) => node.id === nodeId)?.type ?? "");
  return useKind(type)?.shape === "plain" && toolAsked(question) !== null;
}

export function useAnswerWords(nodeId: string, question: Question | null): AnswerWords {
  const type = useDocument((s) => s.document.nodes.find((node) => node.id === nodeId)?.type ?? "");
  return answerWords(useKind(type)?.shape === "branching", question);
}
