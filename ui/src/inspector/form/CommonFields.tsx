// What nodes of many kinds may have (a bypass, a timeout, retries), folded until it is wanted or set.
import { useNodeProblems } from "../../document/analysis";
import type { FlowNode } from "../../ipc/generated/bindings";
import { Fold } from "./Fold";
import { problemsAt } from "./problems-at";
import { SettingsForm } from "./SettingsForm";
import type { FieldSpec } from "./schema";

export function CommonFields({ node, fields }: { node: FlowNode; fields: readonly FieldSpec[] }) {
  const problems = useNodeProblems(node.id);
  const set = fields.filter((f) => node.data[f.name] !== undefined);
  const wrong = fields.some((f) => problemsAt(problems, f.name).length > 0);
  return (
    <Fold
      title="More"
      note={set.map((f) => f.title.toLowerCase()).join(", ")}
      open={wrong || node.data.disabled === true}
    >
      <SettingsForm node={node} fields={fields} />
    </Fold>
  );
}
