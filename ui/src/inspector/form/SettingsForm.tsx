// The form of a node, made from its kind's schema: every group a section, every field its widget.
import { useNodeProblems } from "../../document/analysis";
import { editData } from "../../document/document";
import type { FlowNode, Problem } from "../../ipc/generated/bindings";
import { Field } from "./Field";
import { type FieldSpec, groupFields, isShown } from "./schema";

type SettingsFormProps = {
  node: FlowNode;
  fields: readonly FieldSpec[];
  /** The fields that others may depend on, where `fields` are a part of the kind's. */
  all?: readonly FieldSpec[];
};

export function SettingsForm({ node, fields, all = fields }: SettingsFormProps) {
  const problems = useNodeProblems(node.id);
  return (
    <div>
      {groupFields(fields).map((group) => {
        const shown = group.fields.filter((f) => isShown(f, node.data, all));
        if (shown.length === 0) return null;
        return (
          <section className="sec" key={group.title ?? ""} aria-label={group.title ?? "Settings"}>
            {group.title && <h4>{group.title}</h4>}
            {shown.map((field) => (
              <Field
                key={field.name}
                field={field}
                data={node.data}
                nodeId={node.id}
                problems={problemsAt(problems, field.name)}
                onChange={(value) =>
                  editData(node.id, field.name, value, `Change ${field.title.toLowerCase()}`)
                }
              />
            ))}
          </section>
        );
      })}
    </div>
  );
}

/** Problems of a field, and of places inside it: `branches[1].when`, `limits.timeout`. */
export function problemsAt(problems: readonly Problem[], field: string): Problem[] {
  return problems.filter(
    (p) => p.place === field || p.place?.startsWith(`${field}.`) || p.place?.startsWith(`${field}[`),
  );
}
