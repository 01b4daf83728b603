// Code that the parts of the Loop's panel share: reading a setting with its default, and a row of the form.

import type { ReactNode } from "react";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { useNodeProblems } from "../../document/analysis";
import { editData } from "../../document/document";
import { Field } from "../../inspector/form/Field";
import { problemsAt } from "../../inspector/form/problems-at";
import { type FieldSpec, isShown, settingOf as settingIn, withFallback } from "../../inspector/form/schema";
import { withKey } from "../../inspector/form/widget-props";
import type { ExitChoice, FlowNode, Json } from "../../ipc/generated/bindings";

export type LoopProps = { node: FlowNode; fields: readonly FieldSpec[] };

type Data = Readonly<Record<string, Json>>;
export const asObject = (value: Json): Data =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Data) : {};

/** Returns the effective value of a setting: the node's own value, otherwise the kind's default. */
export function settingOf({ node, fields }: LoopProps, name: string): Json {
  return settingIn(name, node.data, fields);
}

/** The field of the loop's exit condition. */
const EXIT = "exitCondition";

/**
 * The field for the minimum number of iterations. It applies to every exit condition except the maximum, but
 * is shown only under exit conditions that have other fields.
 */
const NOT_BEFORE = "minIterations";

/**
 * Returns the exit condition that the node uses. `exits` are the exit conditions of its kind. Undefined if
 * the node's condition is not one of them.
 */
export function chosenExit(props: LoopProps, exits: readonly ExitChoice[]): ExitChoice | undefined {
  const mode = settingOf(props, EXIT);
  return exits.find((exit) => exit.value === mode);
}

const countsWith = (field: FieldSpec, exit?: string): boolean =>
  field.showIf.some((c) => c.field === EXIT && (exit === undefined || c.in.includes(exit)));

/** Returns whether a field is shown only under some exit conditions. */
export const isOfExit = (field: FieldSpec): boolean => countsWith(field) && field.name !== NOT_BEFORE;

/**
 * Returns the fields of an exit condition, the required one first. The field `condition` is left out, since
 * it has its own form.
 */
export function exitFields(fields: readonly FieldSpec[], exit: ExitChoice | undefined): FieldSpec[] {
  if (exit === undefined) return [];
  const own = fields.filter((f) => countsWith(f, exit.value) && f.name !== "condition");
  if (own.every((f) => f.name === NOT_BEFORE)) return [];
  const rank = (f: FieldSpec) => (f.name === exit.needs ? 0 : f.name === NOT_BEFORE ? 2 : 1);
  return own.sort((a, b) => rank(a) - rank(b));
}

export function Row({ label, field, children }: { label: string; field?: string; children: ReactNode }) {
  return (
    <div className={classes(formStyles.formRow, "form-row")} data-field={field}>
      <span>{label}</span>
      {children}
    </div>
  );
}

/** Shows a field of the node, built from its schema, with the problems of that field. */
export function Setting({ node, fields, name }: LoopProps & { name: string }) {
  const problems = problemsAt(useNodeProblems(node.id), name);
  const field = fields.find((f) => f.name === name);
  if (!field || !isShown(field, node.data, fields)) return null;
  return (
    <Field
      field={withFallback(field, node.data, fields)}
      data={node.data}
      nodeId={node.id}
      problems={problems}
      onChange={(value) => editData(node.id, name, value, `Change ${field.title.toLowerCase()}`)}
    />
  );
}

/**
 * Shows a field inside an object of the node, such as `limits.timeout`. An object that becomes empty is
 * removed.
 */
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

/**
 * Shows the number of iterations without progress after which the loop ends. A loop without this setting has
 * no such limit, so the default of the schema is not shown as its value.
 */
export function NoProgress({ node, fields }: LoopProps) {
  const problems = problemsAt(useNodeProblems(node.id), "limits.noProgress");
  const outer = fields.find((f) => f.name === "limits")?.fields.find((f) => f.name === "noProgress");
  const limits = asObject(node.data.limits);
  const own = asObject(limits.noProgress);
  const isSet = Object.keys(own).length > 0;
  const shown = outer?.fields.filter((f) => f.name === "rounds" || (isSet && f.name === "escalate"));
  return shown?.map((field) => (
    <Field
      key={field.name}
      field={field.name === "rounds" ? { ...field, fallback: null } : field}
      data={own}
      nodeId={node.id}
      place={`limits.noProgress.${field.name}`}
      problems={problems}
      onChange={(value) =>
        editData(
          node.id,
          "limits",
          withKey(limits, "noProgress", withKey(own, field.name, value === false ? undefined : value)),
          "Change what happens without progress",
        )
      }
    />
  ));
}
