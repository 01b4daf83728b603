// A tool's arguments: a field for each argument in the tool's schema, built like the form's own fields.
// Arguments outside the schema are edited as JSON.

import { type ComponentType, useEffect } from "react";
import { classes } from "../../../components/classes";
import formStyles from "../../../components/Form.module.css";
import formListsStyles from "../../../components/FormLists.module.css";
import { Icon } from "../../../components/Icon";
import { useNodeProblems } from "../../../document/analysis";
import { useTools } from "../../../document/tools";
import type { Json } from "../../../ipc/generated/bindings";
import { scriptLanguage } from "../code/script-language";
import { partsOf, withCommand } from "../command-fields";
import foldStyles from "../Fold.module.css";
import { argumentFields } from "../own-problems";
import { problemsAt } from "../problems-at";
import type { FieldSpec } from "../schema";
import { asObject, asText, type FieldProps, type WidgetProps, withKey, withKeys } from "../widget-props";
import { JsonWidget } from "./JsonWidget";

/**
 * Returns the field for an argument. A text argument is edited as a template, and so is an argument of
 * another type whose value contains a template.
 */
function argumentField(field: FieldSpec, value: Json, tool: Json): FieldSpec {
  const language = field.widget === "code" ? scriptLanguage(tool) : null;
  if (language !== null) return { ...field, language };
  const isText = field.widget === "text" || field.widget === "textarea";
  const isTemplate = typeof value === "string" && value.includes("{{");
  const takesTemplate = !["code", "template", "segmented", "select", "folder"].includes(field.widget);
  return isText || (isTemplate && takesTemplate) ? { ...field, widget: "template" } : field;
}

/**
 * `Field` renders a field. It is a prop, because a field can itself contain arguments and an import would be
 * circular.
 */
type ArgsWidgetProps = WidgetProps & { Field: ComponentType<FieldProps> };

export function ArgsWidget({ Field, ...props }: ArgsWidgetProps) {
  const { value, data, nodeId, place, onChange } = props;
  const { tools, load } = useTools();
  useEffect(load, [load]);
  const problems = useNodeProblems(nodeId ?? "");
  const tool = tools?.find((t) => t.name === asText(data.tool));
  const fields = argumentFields(tools, data.tool);
  if (fields.length === 0) return <JsonWidget {...props} />;
  const args = asObject(value);
  const known = new Set(fields.map((f) => f.name));
  const others = Object.fromEntries(Object.entries(args).filter(([name]) => !known.has(name)));
  const ours = Object.fromEntries(Object.entries(args).filter(([name]) => known.has(name)));
  return (
    <div className={formListsStyles.nestedFields}>
      {tool?.unavailable && <p className={formStyles.hint}>{tool.unavailable}</p>}
      {withCommand(fields.map((field) => argumentField(field, args[field.name], data.tool))).map((field) => (
        <Field
          key={field.name}
          field={field}
          data={args}
          nodeId={nodeId}
          place={`${place}.${field.name}`}
          problems={partsOf(field).flatMap(({ name }) => problemsAt(problems, `${place}.${name}`))}
          onChange={(next) =>
            onChange(
              field.widget === "command" ? withKeys(args, asObject(next)) : withKey(args, field.name, next),
            )
          }
        />
      ))}
      <details
        className={classes(foldStyles.fold, foldStyles.inner)}
        data-testid="fold-Other arguments"
        open={Object.keys(others).length > 0}
      >
        <summary>
          <Icon name="chevron-right" size={13} />
          <b>Other arguments</b>
        </summary>
        <JsonWidget
          {...props}
          value={Object.keys(others).length > 0 ? others : undefined}
          onChange={(next) => {
            const joined = { ...ours, ...asObject(next) };
            onChange(Object.keys(joined).length > 0 ? joined : undefined);
          }}
        />
      </details>
    </div>
  );
}
