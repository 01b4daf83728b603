// One field of the form: label, widget, help, and the problems of the document at the field's place.

import type { ComponentType } from "react";
import { useId } from "react";
import { Button, IconButton } from "../../components/Button";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import formListsStyles from "../../components/FormLists.module.css";
import { Icon } from "../../components/Icon";
import { Message } from "../../components/Message";
import { tip } from "../../components/tip";
import { useDocument } from "../../document/document";
import { applyEdits } from "../../document/edits";
import { useQuiet } from "../../document/quiet";
import type { Json, Problem } from "../../ipc/generated/bindings";
import { plainMessage } from "../../kernels/typeset";
import { testIds } from "../../testids";
import styles from "./Field.module.css";
import { useOwnProblems } from "./own-problems";
import { problemsAt } from "./problems-at";
import { type FieldSpec, isShown, type Widget } from "./schema";
import { asObject, type FieldProps, type WidgetProps, withKey } from "./widget-props";
import { ArgsWidget } from "./widgets/ArgsWidget";
import {
  DurationWidget,
  IntegerWidget,
  NamesWidget,
  NumberWidget,
  SegmentedWidget,
  SelectWidget,
  SliderWidget,
  SwitchWidget,
  TextAreaWidget,
  TextWidget,
} from "./widgets/basic";
import { CommandWidget } from "./widgets/CommandWidget";
import { FolderWidget } from "./widgets/FolderWidget";
import { JsonWidget } from "./widgets/JsonWidget";
import { BranchesWidget, HandlesWidget, TemplatesWidget } from "./widgets/lists";
import { AgentWidget, ModelWidget, ProviderWidget, ToolWidget } from "./widgets/pickers";
import { SchemaWidget } from "./widgets/SchemaWidget";
import { ExpressionWidget, ScriptWidget, TemplateWidget } from "./widgets/TemplateWidget";

const WIDGETS: Record<Exclude<Widget, "object" | "list" | "hidden">, ComponentType<WidgetProps>> = {
  text: TextWidget,
  textarea: TextAreaWidget,
  template: TemplateWidget,
  expression: ExpressionWidget,
  code: ScriptWidget,
  args: ToolArguments,
  integer: IntegerWidget,
  number: NumberWidget,
  slider: SliderWidget,
  switch: SwitchWidget,
  select: SelectWidget,
  segmented: SegmentedWidget,
  duration: DurationWidget,
  names: NamesWidget,
  templates: TemplatesWidget,
  branches: BranchesWidget,
  handles: HandlesWidget,
  command: Command,
  folder: FolderWidget,
  provider: ProviderWidget,
  model: ModelWidget,
  tool: ToolWidget,
  agent: AgentWidget,
  schema: SchemaWidget,
  json: JsonWidget,
};

/** Renders the arguments of a tool, which are fields within the tool's field. */
function ToolArguments(props: WidgetProps) {
  return <ArgsWidget {...props} Field={Field} />;
}

/** Renders a command, whose program and arguments are fields within the command's field. */
function Command(props: WidgetProps) {
  return <CommandWidget {...props} Field={Field} />;
}

/** The widgets that need the full width. They are placed below their label, all others next to it. */
const WIDE: ReadonlySet<Widget> = new Set<Widget>([
  "textarea",
  "template",
  "expression",
  "code",
  "args",
  "segmented",
  "templates",
  "branches",
  "handles",
  "command",
  "schema",
  "json",
  "list",
  "object",
]);

export function Field(props: FieldProps) {
  const { field, data, onChange, nodeId, problems, place = field.name } = props;
  const id = useId();
  const value = data[field.name];
  const isQuiet = useQuiet();
  const invalid = problems.some((p) => p.severity === "error" && !isQuiet(p));
  const own = useOwnProblems({ field, data, place }, problems);
  const describedBy = [field.description && `${id}-help`, own.length > 0 && `${id}-problems`]
    .filter(Boolean)
    .join(" ");
  const wide = WIDE.has(field.widget);
  const help = helpFor(field, value);
  const Editor: ComponentType<WidgetProps> | null =
    field.widget === "object" || field.widget === "list" || field.widget === "hidden"
      ? null
      : WIDGETS[field.widget];
  const widget: WidgetProps = {
    ...{ id, field, value, onChange, data, nodeId, place, invalid },
    describedBy: describedBy || undefined,
  };
  return (
    <div
      className={classes(formStyles.formField, "form-field", wide && formStyles.wide, wide && "wide")}
      data-testid={`field-${field.name}`}
      data-field={place}
    >
      <div
        className={wide ? formStyles.fieldLabel : classes(formStyles.formRow, "form-row")}
        {...tip(wide ? undefined : plainMessage(field.description))}
      >
        <label htmlFor={id} {...tip(wide ? plainMessage(field.description) : undefined)}>
          {field.title}
        </label>
        {!wide && Editor && <Editor {...widget} />}
      </div>
      {wide && Editor && <Editor {...widget} />}
      {field.widget === "list" && <EntryList {...{ field, value, onChange, nodeId, problems, place }} />}
      {field.widget === "object" && <ObjectFields {...{ field, value, onChange, nodeId, problems, place }} />}
      {help.text && (
        <p
          className={
            wide || help.ofChoice
              ? classes(formStyles.hint, "hint", formStyles.fieldHelp, "field-help")
              : "sr-only"
          }
          id={`${id}-help`}
        >
          <Message text={help.text} />
        </p>
      )}
      {own.length > 0 && (
        <div id={`${id}-problems`}>
          {own.map((p) => (
            <FieldProblem key={`${p.code}:${p.message}`} problem={p} />
          ))}
        </div>
      )}
    </div>
  );
}

/**
 * Returns the help of the chosen value if it has its own, otherwise the first sentence of the field's help.
 */
function helpFor(field: FieldSpec, value: Json): { text: string; ofChoice: boolean } {
  const chosen = field.options.find((o) => o.value === (value ?? field.fallback));
  if (chosen?.help) return { text: chosen.help, ofChoice: true };
  const first = /^.*?[.!?](?=\s|$)/s.exec(field.description)?.[0] ?? field.description;
  return { text: first, ofChoice: false };
}

/**
 * The props of the fields inside a value: the fields of an object, or those of each entry in a list of
 * objects.
 */
type InnerProps = Omit<FieldProps, "data" | "place"> & { value: Json; place: string };

function EntryList({ field, value, onChange, nodeId, problems, place }: InnerProps) {
  const entries = Array.isArray(value) ? value : [];
  return (
    <div className={formListsStyles.listed}>
      {entries.map((entry, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry is identified by its index, since all its fields can change.
        <div className={styles.entry} key={i}>
          <ObjectFields
            field={field}
            value={entry}
            nodeId={nodeId}
            place={`${place}[${i}]`}
            problems={problems.filter((p) => p.place?.startsWith(`${place}[${i}]`))}
            onChange={(next) => onChange(entries.map((e, j) => (j === i ? (next ?? {}) : e)))}
          />
          <IconButton
            icon="x"
            size={13}
            small
            className={styles.remove}
            label={`Remove ${field.title} ${i + 1}`}
            onClick={() => {
              const rest = entries.filter((_, j) => j !== i);
              onChange(rest.length > 0 ? rest : undefined);
            }}
          />
        </div>
      ))}
      <Button small icon="plus" data-testid={testIds.addEntry} onClick={() => onChange([...entries, {}])}>
        Add
      </Button>
    </div>
  );
}

function ObjectFields({ field, value, onChange, nodeId, problems, place }: InnerProps) {
  const data = asObject(value);
  return (
    <div className={formListsStyles.nestedFields}>
      {field.fields
        .filter((f) => isShown(f, data, field.fields))
        .map((f) => (
          <Field
            key={f.name}
            field={f}
            data={data}
            nodeId={nodeId}
            place={`${place}.${f.name}`}
            problems={problemsAt(problems, `${place}.${f.name}`)}
            onChange={(next) => onChange(withKey(data, f.name, next))}
          />
        ))}
    </div>
  );
}

export function FieldProblem({ problem }: { problem: Problem }) {
  const { fix } = problem;
  const quiet = useQuiet()(problem);
  const warning = problem.severity === "warning";
  return (
    <p
      className={classes(
        formStyles.fieldError,
        "field-error",
        quiet ? formStyles.quiet : warning && formStyles.warn,
      )}
    >
      <Icon name={quiet ? "circle-dashed" : warning ? "triangle-alert" : "circle-alert"} size={12} />
      <span>
        <Message text={problem.message} />
      </span>
      {fix && (
        <Button
          small
          onClick={() => useDocument.getState().edit(applyEdits(fix.edits), { label: fix.title })}
        >
          {fix.title}
        </Button>
      )}
    </p>
  );
}
