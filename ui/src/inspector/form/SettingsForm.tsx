// The form of a node, made from its kind's schema: every group a section, every field its widget.
import { useEffect, useRef } from "react";
import { useNodeProblems } from "../../document/analysis";
import { editData } from "../../document/document";
import type { FlowNode, Problem } from "../../ipc/generated/bindings";
import { useSession } from "../../session/session";
import { Field } from "./Field";
import { type FieldSpec, groupFields, isShown } from "./schema";

export function SettingsForm({ node, fields }: { node: FlowNode; fields: readonly FieldSpec[] }) {
  const problems = useNodeProblems(node.id);
  const focusField = useSession((s) => s.focusField);
  const form = useRef<HTMLDivElement>(null);
  const wanted = focusField?.startsWith(`${node.id}.`) ? focusField.slice(node.id.length + 1) : null;
  useEffect(() => {
    if (wanted === null) return;
    const found = form.current?.querySelector(`[data-field="${CSS.escape(wanted)}"]`);
    found?.scrollIntoView({ block: "nearest" });
    found?.querySelector<HTMLElement>("input, textarea, select, button")?.focus();
    useSession.getState().patch({ focusField: null });
  }, [wanted]);
  return (
    <div ref={form}>
      {groupFields(fields).map((group) => {
        const shown = group.fields.filter((f) => isShown(f, node.data, fields));
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
