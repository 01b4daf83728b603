// What the two answers to a node that waits are called: a node with branches sends its value on or back, any other asks whether it may.
import { useDocument } from "../document/document";
import { useKind } from "../document/kinds";

export function useAnswerWords(nodeId: string): { yes: string; no: string } {
  const type = useDocument((s) => s.document.nodes.find((node) => node.id === nodeId)?.type ?? "");
  return useKind(type)?.shape === "branching"
    ? { yes: "Approve", no: "Send back" }
    : { yes: "Allow", no: "Deny" };
}
