// What the two answers to a node that waits are called: a node with branches sends its value on or back, any other asks whether it
// may, this time, or a second time.
import { useDocument } from "../../document/document";
import { useKind } from "../../document/kinds";
import type { Question } from "../../ipc/generated/bindings";
import { asksToRepeat, toolAsked } from "../../trust/request";

export type AnswerWords = { readonly yes: string; readonly no: string; readonly comment: string };

/** `branches`: whether the node's answer chooses where its value goes. */
export function answerWords(branches: boolean, question: Question | null): AnswerWords {
  if (branches) return { yes: "Approve", no: "Send back", comment: "Comment" };
  if (asksToRepeat(question)) return { yes: "Make it again", no: "Do not repeat", comment: "Reason" };
  return { yes: "Allow once", no: "Deny", comment: "Reason" };
}

/** Whether a waiting node asks about a tool call. An approval never does, also where a run from elsewhere says so. */
export function useAsksForCall(nodeId: string, question: Question | null): boolean {
  const type = useDocument((s) => s.document.nodes.find((node) => node.id === nodeId)?.type ?? "");
  return useKind(type)?.shape === "plain" && toolAsked(question) !== null;
}

export function useAnswerWords(nodeId: string, question: Question | null): AnswerWords {
  const type = useDocument((s) => s.document.nodes.find((node) => node.id === nodeId)?.type ?? "");
  return answerWords(useKind(type)?.shape === "branching", question);
}
