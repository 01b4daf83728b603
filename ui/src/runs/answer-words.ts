// What the two answers to a node that waits are called: a node with branches sends its value on or back, any other asks whether it
// may, this time.
import { useDocument } from "../document/document";
import { useKind } from "../document/kinds";

export type AnswerWords = { readonly yes: string; readonly no: string; readonly comment: string };

/** `branches`: whether the node's answer chooses where its value goes. */
export const answerWords = (branches: boolean): AnswerWords =>
  branches
    ? { yes: "Approve", no: "Send back", comment: "Comment" }
    : { yes: "Allow once", no: "Deny", comment: "Reason" };

export function useAnswerWords(nodeId: string): AnswerWords {
  const type = useDocument((s) => s.document.nodes.find((node) => node.id === nodeId)?.type ?? "");
  return answerWords(useKind(type)?.shape === "branching");
}
