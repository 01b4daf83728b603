// Inputs that would start a run with an empty text which a model then answers: paid calls about nothing. It is allowed, and asked once.
import { heldFlow } from "../../document/inside";
import { fieldsOf, isShown } from "../../inspector/form/schema";
import type { FlowDoc, FlowNode, KindInfo } from "../../ipc/generated/bindings";
import { reachableNodes } from "../../kernels/reach";
import { type InputField, inputFields } from "./inputs";

/** Whether a node asks a model, itself or within its subflow. */
function asksModel(node: FlowNode, kinds: ReadonlyMap<string, KindInfo>): boolean {
  const fields = fieldsOf(kinds.get(node.type)?.schema);
  const data = node.data ?? {};
  if (fields.some((field) => field.widget === "provider" && isShown(field, data, fields))) return true;
  return heldFlow(node)?.nodes.some((inner) => asksModel(inner, kinds)) ?? false;
}

/** The optional text inputs that have no text and lead to a model. */
export function emptyInputs(
  document: FlowDoc,
  kinds: readonly KindInfo[],
  typed: Readonly<Record<string, string>>,
): InputField[] {
  const byType = new Map(kinds.map((kind) => [kind.type, kind]));
  const asking = new Set(document.nodes.filter((node) => asksModel(node, byType)).map(({ id }) => id));
  return inputFields(document, kinds).filter(
    ({ nodeId, name, dataType, fallback }) =>
      dataType === "text" &&
      (typed[name] ?? fallback ?? "").trim() === "" &&
      [...reachableNodes(document.edges, nodeId, "from")].some((id) => asking.has(id)),
  );
}
