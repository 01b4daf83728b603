// A program with its arguments, edited as one command. The program and the arguments are stored in separate
// fields, which a collapsed section below also shows.
import { type ComponentType, useEffect, useState } from "react";
import { CodeEditor } from "../../../components/CodeEditor";
import formStyles from "../../../components/Form.module.css";
import formListsStyles from "../../../components/FormLists.module.css";
import { WhyNot } from "../../../components/fields";
import { breadcrumbPath, useDocument } from "../../../document/document";
import type { Json } from "../../../ipc/generated/bindings";
import {
  type CommandLine,
  type CommandProblem,
  commandOf,
  joinCommand,
  splitCommand,
} from "../../../kernels/command-line";
import { UNDO, useCompletions } from "../code/FieldCode";
import { Fold } from "../Fold";
import type { FieldSpec } from "../schema";
import { asText, type FieldProps, type WidgetProps } from "../widget-props";

/** `Field` renders a row. It is a prop, because an import would be circular. */
type CommandWidgetProps = WidgetProps & { Field: ComponentType<FieldProps> };

export function CommandWidget(props: CommandWidgetProps) {
  const { field, data } = props;
  const [program, args] = field.fields;
  if (!program || !args) return null;
  const command = commandOf(data[program.name] ?? asText(program.fallback), data[args.name] ?? args.fallback);
  const rows = <Rows {...props} />;
  if (command === null) {
    return (
      <>
        <p className={formStyles.hint}>
          The arguments are not a list of strings, so they cannot be shown as one command.
        </p>
        {rows}
      </>
    );
  }
  return (
    <>
      <CommandText {...props} program={program} args={args} command={command} />
      <Fold title="More" note="program and arguments" inner lazy>
        {rows}
      </Fold>
    </>
  );
}

/** Returns the path of a sibling of the command's field. */
const placeOf = ({ field, place }: WidgetProps, name: string): string =>
  place.slice(0, place.length - field.name.length) + name;

/** Shows the fields of the program and of its arguments. Their problems are shown at the command. */
function Rows(props: CommandWidgetProps) {
  const { Field, field, data, nodeId, onChange } = props;
  const values = Object.fromEntries(field.fields.map(({ name }) => [name, data[name]]));
  return (
    <div className={formListsStyles.nestedFields}>
      {field.fields.map((part) => (
        <Field
          key={part.name}
          field={part}
          data={data}
          nodeId={nodeId}
          place={placeOf(props, part.name)}
          problems={[]}
          onChange={(value) => onChange({ ...values, [part.name]: value })}
        />
      ))}
    </div>
  );
}

/** The typed text, and the command that was stored when the user typed it. */
type Draft = { readonly text: string; readonly of: string };

/**
 * Typed text that is not a valid command, keyed by the path of its field. It is kept when the field is
 * unmounted, because it is not stored in the document.
 */
const unapplied = new Map<string, Draft>();

/**
 * A field whose templates can read the same names as an argument. It is used if a command has no arguments.
 */
const WITH_SAME_NAMES = "stdin";

/** Parses the field's text. If it is empty, the node has no command. */
const readCommand = (text: string): CommandLine | CommandProblem =>
  text.trim() === "" ? { program: "", args: [] } : splitCommand(text);

type CommandTextProps = WidgetProps & { program: FieldSpec; args: FieldSpec; command: CommandLine };

function CommandText(props: CommandTextProps) {
  const { id, field, program, args, command, onChange, nodeId, describedBy } = props;
  const written = joinCommand(command);
  const key = useDocument((s) =>
    nodeId === null ? null : [s.id, ...breadcrumbPath(s), nodeId, props.place].join("/"),
  );
  const [typed, setDraft] = useState<Draft | null>(() => (key && unapplied.get(key)) || null);
  // Another command was stored meanwhile, for example by an undo.
  const draft = typed?.of === written ? typed : null;
  const text = draft?.text ?? written;
  const typedCommand = draft === null ? command : readCommand(draft.text);
  const problem = "problem" in typedCommand ? typedCommand.problem : null;
  useEffect(() => {
    if (key === null) return;
    if (draft !== null && problem !== null) unapplied.set(key, draft);
    else unapplied.delete(key);
  }, [key, draft, problem]);
  const argsPlace = placeOf(props, args.name);
  const scope = command.args.length > 0 ? `${argsPlace}[0]` : placeOf(props, WITH_SAME_NAMES);
  const complete = useCompletions(nodeId, scope, "template");
  const change = (next: string) => {
    const read = readCommand(next);
    if ("problem" in read) {
      setDraft({ text: next, of: written });
      return;
    }
    setDraft({ text: next, of: joinCommand(read) });
    onChange({
      [program.name]: read.program === "" && read.args.length === 0 ? undefined : read.program,
      [args.name]: read.args.length === 0 ? undefined : [...read.args],
    } satisfies Record<string, Json>);
  };
  const undo = {
    ...UNDO,
    // Text that was not applied is undone first.
    undo: () => (problem === null ? UNDO.undo() : setDraft(null)),
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: detects when the editor inside loses the focus.
    <div
      data-field={argsPlace}
      onBlur={() => {
        if (problem === null) setDraft(null);
      }}
    >
      <CodeEditor
        id={id}
        label={field.title}
        language="template"
        value={text}
        placeholder="npm test"
        complete={complete}
        invalid={props.invalid || problem !== null}
        spellCheck={false}
        onChange={change}
        {...(describedBy ? { describedBy } : {})}
        {...(nodeId === null ? {} : { undo })}
      />
      {problem !== null && <WhyNot text={problem} />}
    </div>
  );
}
