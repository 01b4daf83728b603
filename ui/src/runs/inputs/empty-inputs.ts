// Finds empty inputs whose text is sent to a model. A run with such inputs starts only after a confirmation,
// because it would pay for calls without content.
import { heldFlow } from "../../document/inside";
import { fieldsOf, isShown } from "../../inspector/form/schema";
import type { FlowDoc, FlowNode, KindInfo } from "../../ipc/generated/bindings";
import { reachableNodes } from "../../kernels/reach";
import { type InputField, inputFields } from "./inputs";

/** Returns whether a node calls a model, directly or in its subflow. */
function asksModel(node: FlowNode, kinds: ReadonlyMap<string, KindInfo>): boolean {
  const fields = fieldsOf(kinds.get(node.type)?.schema);
  const data = node.data ?? {};
  if (fields.some((field) => field.widget === "provider" && isShown(field, data, fields))) return true;
  return heldFlow(node)?.nodes.some((inner) => asksModel(inner, kinds)) ?? false;
}

/** Returns the text inputs that are empty and whose text reaches a model. */
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
