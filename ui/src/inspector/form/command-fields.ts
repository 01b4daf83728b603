// Finds the program and the arguments among a form's fields, which are edited as one command. Pure.
import type { FieldSpec } from "./schema";

const PROGRAM = "program";
const ARGUMENTS = "args";

const isProgram = ({ name, widget }: FieldSpec) =>
  name === PROGRAM && (widget === "text" || widget === "template");
/** Returns whether a field is the list of arguments. The whole list may be a single template. */
const isArguments = ({ name, widget }: FieldSpec) =>
  name === ARGUMENTS && (widget === "templates" || widget === "template");

/**
 * Returns the fields with the program and its arguments merged into one field, in the position of the
 * program. Its value contains both settings. Without a program or arguments, the fields are returned
 * unchanged.
 */
export function withCommand(fields: readonly FieldSpec[]): readonly FieldSpec[] {
  const program = fields.find(isProgram);
  const args = fields.find(isArguments);
  if (!program || !args) return fields;
  const command: FieldSpec = {
    ...program,
    title: "Command",
    description:
      "A program and its arguments, as in a shell: `npm test -- --grep 'two words'`. A command that needs a shell, such as one with a pipe, is run by `sh`. A template is a part of one argument.",
    widget: "command",
    fields: [program, args],
  };
  return fields.flatMap((field) => (field === args ? [] : field === program ? [command] : [field]));
}

/**
 * Returns the fields whose problems are shown at this field: the program and the arguments of a command,
 * otherwise only the field itself.
 */
export const partsOf = (field: FieldSpec): readonly FieldSpec[] =>
  field.widget === "command" ? field.fields : [field];
