// Commands as people write them: a program and its arguments in one line, with the quotes of a shell. Pure.
//
// `splitCommand` reads a command as `split_command` does in Rust, and both are tested with the same table. In
// addition, it recognises templates in arguments: a template is part of one word, and its text is never read
// as quotes or as shell syntax. The Rust function does not, because it reads commands from the command line,
// which contain no templates.

/** A program and its arguments. */
export type CommandLine = { readonly program: string; readonly args: readonly string[] };

/** Why a string is not a command, as a sentence for the user. */
export type CommandProblem = { readonly problem: string };

const OF_A_SHELL = /[|&;<>()$`*?[~#\n{]/;
/**
 * Matches the start of shell text with its own rules for quotes. After such text, no quotation counts as
 * open.
 */
const WITH_OWN_QUOTES = /^(?:#|<<|\$[({]|`)/;
const SETS_VARIABLE = /^[ \t]*[A-Za-z0-9_]+=/;
const OPENS_TEMPLATE = /^\{[{%#]/;

const PROBLEMS = {
  empty: "The command is empty.",
  quotation: "A closing quote is missing.",
  backslash: "The command ends with a backslash that escapes nothing. Remove it.",
  shell:
    "A template cannot be part of a command for a shell, because the shell would run its value as code. Pass the value to the shell as an argument: sh -c 'echo \"$1\" | sort' sh {{ input }}",
} as const;

const unended = (mark: string): string =>
  `A template begins with ${mark} but is not closed. To use ${mark} as plain text, write '${mark[0]}''${mark[1]}'.`;

const TAG = (name: string) => new RegExp(`^\\{%-?\\s*${name}\\s*-?%\\}`);
const RAW = TAG("raw");
const END_OF_RAW = TAG("endraw");

/** A template in a string: its end, and whether a run determines its value. */
type Template = { readonly end: number; readonly isComputed: boolean };

/** Returns the template that begins at a position; null if it does not end. */
function templateAt(text: string, start: number): Template | null {
  const rest = text.slice(start);
  if (rest.startsWith("{#")) {
    const end = text.indexOf("#}", start + 2);
    return end < 0 ? null : { end: end + 2, isComputed: false };
  }
  const raw = RAW.exec(rest);
  if (raw) {
    let at = text.indexOf("{%", start + raw[0].length);
    for (; at >= 0; at = text.indexOf("{%", at + 2)) {
      const end = END_OF_RAW.exec(text.slice(at));
      if (end) return { end: at + end[0].length, isComputed: false };
    }
    return null;
  }
  const end = endOfBlock(text, start + 2, rest.startsWith("{{") ? "}}" : "%}");
  return end === null ? null : { end, isComputed: true };
}

/**
 * Returns the position after the end mark of a block; null if there is none. A mark in quotes or in braces
 * does not end the block.
 */
function endOfBlock(text: string, from: number, mark: string): number | null {
  let quote: string | null = null;
  let braces = 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (quote !== null) {
      if (char === "\\") at += 1;
      else if (char === quote) quote = null;
    } else if (braces === 0 && text.startsWith(mark, at)) {
      return at + mark.length;
    } else if (char === '"' || char === "'" || char === "`") {
      quote = char;
    } else if (char === "{") {
      braces += 1;
    } else if (char === "}") {
      braces = Math.max(0, braces - 1);
    }
  }
  return null;
}

/** The result of reading a command. */
type Read = {
  readonly words: readonly string[];
  readonly needsShell: boolean;
  /** Whether the command contains a template whose value a run determines. */
  readonly isComputed: boolean;
  readonly problem: string | null;
};

/** Reads a command up to its end or its first problem. */
function read(command: string): Read {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  let needsShell = SETS_VARIABLE.test(command);
  let isComputed = false;
  /** Whether text with its own rules for quotes was read. After it, only templates are recognised. */
  let isOpaque = false;
  const result = (problem: string | null): Read => {
    if (word !== null) words.push(word);
    return { words, needsShell, isComputed, problem };
  };
  for (let at = 0; at < command.length; at += 1) {
    const char = command[at] ?? "";
    const rest = command.slice(at, at + 2);
    const next = command[at + 1];
    if (OPENS_TEMPLATE.test(rest)) {
      const template = templateAt(command, at);
      if (template === null) return result(unended(rest));
      word = (word ?? "") + command.slice(at, template.end);
      isComputed ||= template.isComputed;
      at = template.end - 1;
    } else if (isOpaque) {
    } else if (quote === char) {
      quote = null;
    } else if (quote === "'") {
      word = (word ?? "") + char;
    } else if (char === "\\") {
      if (next === undefined) return result(PROBLEMS.backslash);
      const isKept = quote !== null && !'$`"\\\n'.includes(next);
      if (next === "\n") needsShell ||= quote === null;
      else word = (word ?? "") + (isKept ? char + next : next);
      at += 1;
    } else if (quote === null && (char === "'" || char === '"')) {
      quote = char;
      word ??= "";
    } else if (quote === null ? OF_A_SHELL.test(char) : char === "$" || char === "`") {
      needsShell = true;
      isOpaque = WITH_OWN_QUOTES.test(rest);
    } else if (quote === null && (char === " " || char === "\t")) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? "") + char;
    }
  }
  return result(quote !== null && !isOpaque ? PROBLEMS.quotation : null);
}

/**
 * Splits a command into its program and its arguments. If the command uses shell syntax beyond words and
 * quotes, the program is `sh`. Such a command must not contain a template, because the shell would read the
 * template's value as code.
 */
export function splitCommand(written: string): CommandLine | CommandProblem {
  const command = written.replace(/^\n+|\n+$/g, "");
  const { words, needsShell, isComputed, problem } = read(command);
  if (problem !== null) return { problem };
  if (needsShell && isComputed) return { problem: PROBLEMS.shell };
  if (needsShell) return { program: "sh", args: ["-c", command] };
  const [program, ...args] = words;
  return program === undefined ? { problem: PROBLEMS.empty } : { program, args };
}

/** A piece of a word: literal text, or a template as it is written. */
type Piece = { readonly text: string; readonly isTemplate: boolean };

function piecesOf(word: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (let at = 0; at < word.length; ) {
    const template = OPENS_TEMPLATE.test(word.slice(at, at + 2)) ? templateAt(word, at) : null;
    if (template === null) {
      at += 1;
      continue;
    }
    if (at > from) pieces.push({ text: word.slice(from, at), isTemplate: false });
    pieces.push({ text: word.slice(at, template.end), isTemplate: true });
    at = template.end;
    from = at;
  }
  if (from < word.length) pieces.push({ text: word.slice(from), isTemplate: false });
  return pieces;
}

const NEEDS_QUOTES = /[\s'"\\|&;<>()$`*?[~#{]/;
const NEEDS_SINGLE_QUOTES = /[$`"\\]/;

/** Quotes a word so that reading it returns the same word. Templates are written unchanged. */
function quoted(word: string, isFirst: boolean): string {
  const pieces = piecesOf(word);
  const texts = pieces.filter((piece) => !piece.isTemplate).map((piece) => piece.text);
  const isPlain = !texts.some((text) => NEEDS_QUOTES.test(text));
  if (isPlain && word !== "" && !(isFirst && SETS_VARIABLE.test(word))) return word;
  const quote =
    texts.some((text) => text.includes("'")) && !texts.some((text) => NEEDS_SINGLE_QUOTES.test(text))
      ? '"'
      : "'";
  let written = "";
  let endsWithBrace = false;
  for (const { text, isTemplate } of pieces) {
    for (const part of isTemplate ? [text] : text) {
      // Two quotes between these characters keep them from beginning a template.
      if (endsWithBrace && /^[{%#]/.test(part)) written += quote + quote;
      written += !isTemplate && part === quote ? "'\\''" : part;
      endsWithBrace = !isTemplate && part === "{";
    }
  }
  return quote + written + quote;
}

const isSame = (one: CommandLine, other: CommandLine): boolean =>
  one.program === other.program &&
  one.args.length === other.args.length &&
  one.args.every((arg, at) => arg === other.args[at]);

/**
 * Returns a command that `splitCommand` splits into this program and these arguments. For `sh -c` with a
 * command that needs a shell, only that command is returned.
 */
export function joinCommand(command: CommandLine): string {
  const { program, args } = command;
  if (program === "" && args.length === 0) return "";
  const [, script] = args;
  if (program === "sh" && script !== undefined) {
    const again = splitCommand(script);
    if (!("problem" in again) && isSame(again, command)) return script;
  }
  return [program, ...args].map((word, at) => quoted(word, at === 0)).join(" ");
}

/**
 * Returns the command of these settings; null if no command can express them, for example because the whole
 * list of arguments is a template.
 */
export function commandOf(program: unknown, args: unknown): CommandLine | null {
  const isText = (value: unknown): value is string => typeof value === "string";
  const list = args ?? [];
  if (!isText(program ?? "") || !Array.isArray(list) || !list.every(isText)) return null;
  return { program: isText(program) ? program : "", args: list };
}
