// The labels of the two answers to a waiting node. A node with branches asks whether its value continues or
// goes back; any other node asks for permission to call or to repeat a call.
import { useDocument } from "../../document/document";
import { useKind } from "../../document/kinds";
import type { Question } from "../../ipc/generated/bindings";
import { asksToRepeat, toolAsked } from "../../trust/request";

export type AnswerWords = { readonly yes: string; readonly no: string; readonly comment: string };

/**
 * Returns the labels of the two answers to a question and of the comment field. `branches` means that the
 * answer decides where the node's value goes.
 */
export function answerWords(branches: boolean, question: Question | null): AnswerWords {
  if (branches) return { yes: "Approve", no: "Send back", comment: "Comment" };
  if (asksToRepeat(question)) return { yes: "Repeat the call", no: "Do not repeat", comment: "Reason" };
  return { yes: "Allow once", no: "Deny", comment: "Reason" };
}

/**
 * Returns whether a waiting node asks about a tool call. An Approval node never does, even if its question in a
 * run from another program contains a tool call.
 */
export function useAsksForCall(nodeId: string, question: Question | null): boolean {
  const type = useDocument((s) => s.document.nodes.find((node) => node.id === nodeId)?.type ?? "");
  return useKind(type)?.shape === "plain" && toolAsked(question) !== null;
}

export function useAnswerWords(nodeId: string, question: Question | null): AnswerWords {
  const type = useDocument((s) => s.document.nodes.find((node) => node.id === nodeId)?.type ?? "");
  return answerWords(useKind(type)?.shape === "branching", question);
}
