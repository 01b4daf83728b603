// The form of a node, built from its kind's schema: a section per group, a widget per field.
import { Fragment } from "react";
import panelStyles from "../../components/Panel.module.css";
import { useNodeProblems } from "../../document/analysis";
import { editData, editFields } from "../../document/document";
import type { FlowNode } from "../../ipc/generated/bindings";
import { Names } from "./code/Names";
import { scopeField } from "./code/scope-field";
import { LANGUAGE_FIELDS, scriptLanguage } from "./code/script-language";
import { partsOf, withCommand } from "./command-fields";
import { Field } from "./Field";
import { problemsAt } from "./problems-at";
import { type FieldSpec, groupFields, isShown } from "./schema";
import { asObject } from "./widget-props";

/** Selects the language of a script, which is the tool that runs it. Hidden if the tool runs no script. */
function LanguageField({ node, tool }: { node: FlowNode; tool: string }) {
  const chosen = node.data[tool];
  if (scriptLanguage(chosen) === null) return null;
  return LANGUAGE_FIELDS.map((field) => (
    <Field
      key={field.name}
      field={field}
      data={{ [field.name]: chosen }}
      nodeId={node.id}
      problems={[]}
      onChange={(value) => editData(node.id, tool, value, "Change language")}
    />
  ));
}

type SettingsFormProps = {
  node: FlowNode;
  fields: readonly FieldSpec[];
  /**
   * All fields of the kind, if `fields` is only a part of them. The conditions and defaults of fields may
   * depend on any of them.
   */
  all?: readonly FieldSpec[];
};

export function SettingsForm({ node, fields, all = fields }: SettingsFormProps) {
  const problems = useNodeProblems(node.id);
  const groups = groupFields(withCommand(fields))
    .map((group) => ({ ...group, shown: group.fields.filter((f) => isShown(f, node.data, all)) }))
    .filter((group) => group.shown.length > 0);
  // The names are listed below the first group in which they can be used.
  const coded = groups.find((group) => scopeField(group.shown, node.data) !== null);
  const place = coded ? scopeField(coded.shown, node.data) : null;
  return (
    <div>
      {groups.map((group) => (
        <Fragment key={group.title ?? ""}>
          <section className={panelStyles.section} aria-label={group.title ?? "Settings"}>
            {group.title && <h4>{group.title}</h4>}
            {group.shown.map((field) => (
              <Fragment key={field.name}>
                <Field
                  field={field}
                  data={node.data}
                  nodeId={node.id}
                  problems={partsOf(field).flatMap(({ name }) => problemsAt(problems, name))}
                  onChange={(value) => {
                    const label = `Change ${field.title.toLowerCase()}`;
                    if (field.widget === "command") editFields(node.id, asObject(value), label);
                    else editData(node.id, field.name, value, label);
                  }}
                />
                {field.widget === "tool" && <LanguageField node={node} tool={field.name} />}
              </Fragment>
            ))}
          </section>
          {group === coded && place !== null && <Names nodeId={node.id} field={place} />}
        </Fragment>
      ))}
    </div>
  );
}
