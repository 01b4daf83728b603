// Tera for the editor: the structure of a template, and its tokens for highlighting. Pure. Only Rust knows
// the meaning of a template.
import type { StreamParser, StringStream } from "@codemirror/language";

/**
 * The kind of the text: `template` is text with holes (`{{ … }}`, `{% … %}`, `{# … #}`), `expression` is only
 * the content of a hole.
 */
export type TeraMode = "template" | "expression";

const OPENING = /\{\{-?|\{%-?|\{#/g;
const CLOSING: Readonly<Record<string, string>> = { "{{": "}}", "{%": "%}", "{#": "#}" };

export type Hole = {
  readonly kind: "output" | "tag" | "comment";
  /** The position after the opening mark. */
  readonly from: number;
  /** The position before the closing mark, or the end of the text if there is no closing mark. */
  readonly to: number;
  readonly closed: boolean;
};

/** Returns the holes of a template, in order. A quoted `}}` does not end one. */
export function holes(text: string): Hole[] {
  const found: Hole[] = [];
  OPENING.lastIndex = 0;
  for (let open = OPENING.exec(text); open !== null; open = OPENING.exec(text)) {
    const mark = open[0].slice(0, 2);
    const from = open.index + open[0].length;
    const end = endOf(text, from, CLOSING[mark] ?? "}}", mark !== "{#");
    const kind = mark === "{{" ? "output" : mark === "{%" ? "tag" : "comment";
    found.push({ kind, from, to: end ?? text.length, closed: end !== null });
    if (end === null) break;
    OPENING.lastIndex = end + 2;
  }
  return found;
}

/**
 * Returns the position of the closing mark; null if there is none. With `code`, marks within quotes do not
 * count.
 */
function endOf(text: string, from: number, mark: string, code: boolean): number | null {
  let quote: string | null = null;
  for (let at = from; at < text.length; at += 1) {
    const c = text[at];
    if (quote !== null) {
      if (c === "\\") at += 1;
      else if (c === quote) quote = null;
    } else if (code && (c === '"' || c === "'" || c === "`")) {
      quote = c;
    } else if (text.startsWith(mark, at)) {
      return at;
    }
  }
  return null;
}

/** Returns the hole at a position; null in plain text and in comments. */
export function holeAt(text: string, at: number): Hole | null {
  return holes(text).find((h) => h.kind !== "comment" && at >= h.from && at <= h.to) ?? null;
}

/** The kind of completion at a position, and the start of the typed part. */
export type Completing = { readonly what: "name" | "filter" | "test" | "tag"; readonly from: number };

const CHAIN = /[A-Za-z_]\w*(?:\??\.\w*|\["[^"\]]*(?:"\]?)?)*$/;

export function completingAt(text: string, at: number, mode: TeraMode): Completing | null {
  let start = 0;
  let tag = false;
  if (mode === "template") {
    const hole = holeAt(text, at);
    if (hole === null) return null;
    start = hole.from;
    tag = hole.kind === "tag";
  }
  const before = text.slice(start, at);
  const chain = CHAIN.exec(before)?.[0] ?? "";
  if (inQuotes(before.slice(0, before.length - chain.length))) return null;
  const word = /\w*$/.exec(before)?.[0] ?? "";
  const rest = before.slice(0, before.length - word.length).trimEnd();
  const from = at - word.length;
  if (tag && rest === "") return { what: "tag", from };
  if (rest.endsWith("|")) return { what: "filter", from };
  if (/(?:^|[^\w.])is(?:\s+not)?$/.test(rest)) return { what: "test", from };
  if (/^\d/.test(word)) return null;
  // The field belongs to a value without a name, such as the result of a call, so nothing can be completed.
  if (rest.endsWith(".") && chain === "") return null;
  return { what: "name", from: at - chain.length };
}

function inQuotes(text: string): boolean {
  let quote: string | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const c = text[at];
    if (quote === null) {
      if (c === '"' || c === "'" || c === "`") quote = c;
    } else if (c === "\\") {
      at += 1;
    } else if (c === quote) {
      quote = null;
    }
  }
  return quote !== null;
}

/**
 * Returns the text to insert for a name at a position: the name itself in a hole, or the name in a new hole
 * in plain text.
 */
export function inserted(text: string, at: number, mode: TeraMode, name: string): string {
  return mode === "template" && holeAt(text, at) === null ? `{{ ${name} }}` : name;
}

const KEYWORDS = new Set(
  "if elif else endif for endfor in set endset set_global endset_global filter endfilter raw endraw break continue and or not is".split(
    " ",
  ),
);
const ATOMS = new Set(["true", "false", "True", "False", "none", "None", "null"]);

type State = { hole: "" | "{{" | "{%" | "{#"; quote: string | null; after: "" | "." | "|" | "is" };

function code(stream: StringStream, state: State): string | null {
  if (state.quote !== null) return quoted(stream, state);
  if (stream.eatSpace()) return null;
  const c = stream.peek();
  if (c === '"' || c === "'" || c === "`") {
    state.quote = c;
    stream.next();
    state.after = "";
    return quoted(stream, state);
  }
  if (stream.match(/^\d[\d_]*(?:\.\d+)?/)) {
    state.after = "";
    return "number";
  }
  const word = stream.match(/^[A-Za-z_]\w*/);
  if (word && word !== true) return wordStyle(word[0] ?? "", stream, state);
  if (stream.match(/^(?:==|!=|<=|>=|\/\/|\*\*|[-+*/%<>=~!])/)) {
    state.after = "";
    return "operator";
  }
  if (stream.match("|")) {
    state.after = "|";
    return "operator";
  }
  if (stream.match(/^\??\./)) {
    state.after = ".";
    return "punctuation";
  }
  stream.next();
  state.after = "";
  return "punctuation";
}

function wordStyle(word: string, stream: StringStream, state: State): string {
  const after = state.after;
  state.after = word === "is" ? "is" : after === "is" && word === "not" ? "is" : "";
  if (after === ".") return "propertyName";
  if (after === "|" || (after === "is" && word !== "not")) return "variableName.special";
  if (KEYWORDS.has(word)) return "keyword";
  if (ATOMS.has(word)) return "atom";
  return stream.match(/^\s*\(/, false) ? "variableName.special" : "variableName";
}

/** Reads a quoted string, which may span lines. */
function quoted(stream: StringStream, state: State): string {
  for (let c = stream.next(); c !== undefined; c = stream.next()) {
    if (c === "\\") stream.next();
    else if (c === state.quote) {
      state.quote = null;
      break;
    }
  }
  return "string";
}

export const templateParser: StreamParser<State> = {
  name: "tera",
  startState: () => ({ hole: "", quote: null, after: "" }),
  copyState: (state) => ({ ...state }),
  token(stream, state) {
    if (state.hole === "") {
      const open = stream.match(/^(?:\{\{-?|\{%-?|\{#)/);
      if (open && open !== true) {
        state.hole = (open[0] ?? "").slice(0, 2) as State["hole"];
        state.after = "";
        return state.hole === "{#" ? "comment" : "meta";
      }
      stream.next();
      while (!stream.eol() && !stream.match(/^\{[{%#]/, false)) stream.next();
      return null;
    }
    if (state.hole === "{#") {
      if (stream.match("#}")) state.hole = "";
      else {
        stream.next();
        while (!stream.eol() && !stream.match("#}", false)) stream.next();
      }
      return "comment";
    }
    const close = state.hole === "{{" ? /^-?\}\}/ : /^-?%\}/;
    if (state.quote === null && stream.match(close)) {
      state.hole = "";
      return "meta";
    }
    return code(stream, state);
  },
};

export const expressionParser: StreamParser<State> = {
  ...templateParser,
  name: "tera-expression",
  token: code,
};
