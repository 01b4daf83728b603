// Shared by the parts of the Loop's panel: reading a setting with its default, and one row of the form.
import type { ReactNode } from "react";
import { useNodeProblems } from "../../document/analysis";
import { editData } from "../../document/document";
import { Field, withKey } from "../../inspector/form/Field";
import { problemsAt } from "../../inspector/form/problems-at";
import { type FieldSpec, isShown } from "../../inspector/form/schema";
import type { FlowNode, Json } from "../../ipc/generated/bindings";

export type LoopProps = { node: FlowNode; fields: readonly FieldSpec[] };

type Data = Readonly<Record<string, Json>>;
export const asObject = (value: Json): Data =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Data) : {};

/** What holds for a setting: its own value, else the kind's default. */
export function settingOf({ node, fields }: LoopProps, name: string): Json {
  return node.data[name] ?? fields.find((f) => f.name === name)?.fallback ?? null;
}

export function Row({ label, field, children }: { label: string; field?: string; children: ReactNode }) {
  return (
    <div className="fr" data-field={field}>
      <span>{label}</span>
      {children}
    </div>
  );
}

/** A field of the node as its schema draws it, with the problems at its place. */
export function Setting({ node, fields, name }: LoopProps & { name: string }) {
  const problems = problemsAt(useNodeProblems(node.id), name);
  const field = fields.find((f) => f.name === name);
  if (!field || !isShown(field, node.data, fields)) return null;
  return (
    <Field
      field={field}
      data={node.data}
      nodeId={node.id}
      problems={problems}
      onChange={(value) => editData(node.id, name, value, `Change ${field.title.toLowerCase()}`)}
    />
  );
}

/** A field inside an object of the node: `limits.timeout`. An object left with nothing goes altogether. */
export function InnerSetting({ node, fields, of, name }: LoopProps & { of: string; name: string }) {
  const place = `${of}.${name}`;
  const problems = problemsAt(useNodeProblems(node.id), place);
  const outer = fields.find((f) => f.name === of);
  const field = outer?.fields.find((f) => f.name === name);
  const data = asObject(node.data[of]);
  if (!outer || !field || !isShown(field, data, outer.fields)) return null;
  return (
    <Field
      field={field}
      data={data}
      nodeId={node.id}
      place={place}
      problems={problems}
      onChange={(value) =>
        editData(node.id, of, withKey(data, name, value), `Change ${field.title.toLowerCase()}`)
      }
    />
  );
}
