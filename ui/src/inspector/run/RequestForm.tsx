// The arguments of a waiting tool call, one field each, editable by the user who answers. They are values,
// not templates, so each is edited in its actual type, whatever the tool's schema says.

import { useCallback, useContext, useEffect, useId } from "react";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { InvalidFields } from "../../components/invalid-fields";
import { TextListField } from "../../components/TextListField";
import { useTools } from "../../document/tools";
import type { Json } from "../../ipc/generated/bindings";
import { editableArgs, type ToolRequest } from "../../trust/request";
import { Field } from "../form/Field";
import { argumentFields } from "../form/own-problems";
import { type FieldSpec, fieldsOf, type Widget } from "../form/schema";
import { withKey } from "../form/widget-props";
import styles from "./AnswerForm.module.css";
import { valueText } from "./values";

/** The number of characters above which text is edited in a text area. */
const ONE_LINE = 48;

const isText = (value: Json): value is string => typeof value === "string";
const isTexts = (value: Json): value is string[] => Array.isArray(value) && value.every(isText);

/**
 * The widgets for text. Widgets for templates would offer names of the flow, which have no meaning in a
 * value.
 */
const OF_TEXTS: readonly Widget[] = ["text", "textarea", "template", "expression", "code"];
const OF_TYPE: Readonly<Record<string, readonly Widget[]>> = {
  string: ["segmented", "select", "duration"],
  number: ["integer", "number", "slider"],
  boolean: ["switch"],
};

/**
 * Returns the widget for the type of the actual value. If the argument has no value, returns a widget for the
 * type in the schema.
 */
export function widgetFor(field: Pick<FieldSpec, "widget">, value: Json): Widget {
  if (value === undefined) {
    if (OF_TEXTS.includes(field.widget)) return "text";
    return Object.values(OF_TYPE).some((widgets) => widgets.includes(field.widget)) ? field.widget : "json";
  }
  if (OF_TYPE[typeof value]?.includes(field.widget)) return field.widget;
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "switch";
  if (isText(value)) return value.length > ONE_LINE || value.includes("\n") ? "textarea" : "text";
  return "json";
}

/**
 * Returns the fields in the tool's schema, followed by one for each of the call's arguments that is missing
 * from the schema.
 */
function fieldsFor(known: readonly FieldSpec[], args: ToolRequest["args"]): FieldSpec[] {
  const names = new Set(known.map((field) => field.name));
  const others = Object.keys(args).filter((name) => !names.has(name));
  return [...known, ...fieldsOf({ properties: Object.fromEntries(others.map((name) => [name, {}])) })];
}

type ArgumentProps = {
  field: FieldSpec;
  args: ToolRequest["args"];
  onChange(value: Json): void;
};

function Argument({ field, args, onChange }: ArgumentProps) {
  const id = useId();
  const value = args[field.name];
  const report = useContext(InvalidFields);
  // A widget reports invalid text without the name of its field, so the name is added here.
  const reportHere = useCallback(
    (widget: string, invalid: string | null) => report?.(widget, invalid === null ? null : field.title),
    [report, field.title],
  );
  if (isTexts(value))
    return (
      <div className={classes(formStyles.formField, formStyles.wide)} data-field={field.name}>
        <label className={formStyles.fieldLabel} htmlFor={id}>
          {field.title}
        </label>
        <TextListField id={id} label={field.title} value={value} onChange={onChange} />
      </div>
    );
  return (
    <InvalidFields.Provider value={reportHere}>
      <Field
        field={{ ...field, widget: widgetFor(field, value) }}
        // A field called `default` is text or JSON, depending on the `dataType` next to it.
        data={{ dataType: "json", ...args }}
        nodeId={null}
        problems={[]}
        onChange={onChange}
      />
    </InvalidFields.Provider>
  );
}

type UnchangedProps = { fields: readonly FieldSpec[]; args: ToolRequest["args"] };

/** Shows the arguments of a call that is repeated without changes. */
function UnchangedArguments({ fields, args }: UnchangedProps) {
  return (
    <section className={styles.arguments} aria-label="Arguments" data-testid="request-arguments">
      {fields.map(({ name, title }) => (
        <div className={classes(formStyles.formField, formStyles.wide)} data-field={name} key={name}>
          <span className={formStyles.fieldLabel}>{title}</span>
          <output className={styles.value}>{valueText(args[name])}</output>
        </div>
      ))}
    </section>
  );
}

type RequestFormProps = {
  request: ToolRequest;
  /** The arguments of the call that waits for an answer. The tool's other arguments have their defaults. */
  original: ToolRequest["args"];
  onChange(args: ToolRequest["args"]): void;
};

export function RequestForm({ request, original, onChange }: RequestFormProps) {
  const { tools, load } = useTools();
  useEffect(load, [load]);
  const { tool, args, isRepeat } = request;
  const all = fieldsFor(argumentFields(tools, tool), original).filter(({ name }) => name in original);
  if (all.length === 0) return null;
  if (isRepeat) return <UnchangedArguments fields={all} args={original} />;
  const editable = editableArgs({ fixed: request.fixed, args: original });
  const fields = all.filter(({ name }) => editable.includes(name));
  const isFixed = fields.length < all.length;
  return (
    <div className={styles.arguments} data-testid="request-arguments">
      {isFixed && (
        <p className={formStyles.hint}>
          A command cannot be edited here: it runs exactly as shown. If it must change, deny the call.
        </p>
      )}
      {fields.length > 0 && (
        <fieldset>
          <legend>{isFixed ? "Other arguments (editable)" : "Arguments (editable)"}</legend>
          {fields.map((field) => (
            <Argument
              key={field.name}
              field={field}
              args={args}
              onChange={(value) => {
                // Text that was cleared is kept as an empty string, since removing the argument would change
                // the call.
                const kept = value === undefined && isText(args[field.name]) ? "" : value;
                onChange((withKey(args, field.name, kept) ?? {}) as ToolRequest["args"]);
              }}
            />
          ))}
        </fieldset>
      )}
    </div>
  );
}
