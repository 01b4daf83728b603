// Luau for the editor: tokens for highlighting, and the words of the language for completion. Only Rust
// detects the errors of a script and knows the names that it may read.
import type { StreamParser, StringStream } from "@codemirror/language";

const words = (text: string) => new Set(text.split(" "));

export const KEYWORDS = words(
  "and break continue do else elseif end export for function if in local not or repeat return then type until while",
);
const ATOMS = words("true false nil null");
/** The names available without a declaration; `array`, `object`, `null` and `json` are the program's own. */
export const LIBRARY: Readonly<Record<string, string>> = {
  array: "array(…): encoded as a JSON list, even if empty",
  object: "object(…): encoded as a JSON object, even if empty",
  null: "JSON's null",
  json: "json.encode(value), json.decode(text)",
  assert: "assert(value, message)",
  error: "error(message)",
  ipairs: "for index, item in ipairs(list) do",
  next: "next(table, key)",
  pairs: "for key, value in pairs(table) do",
  pcall: "pcall(function, …)",
  print: "print(…): written to the logs",
  select: 'select("#", …)',
  tonumber: "tonumber(text)",
  tostring: "tostring(value)",
  type: "type(value)",
  unpack: "unpack(list)",
  math: "math.floor, math.max, math.min, …",
  string: "string.format, string.find, string.gsub, string.split, …",
  table: "table.insert, table.concat, table.sort, …",
  utf8: "utf8.len, utf8.codes, …",
  bit32: "bit32.band, bit32.bor, …",
};

type State = { long: string | null };

function long(stream: StringStream, state: State, style: string): string {
  for (; !stream.eol(); stream.next()) {
    if (state.long !== null && stream.match(state.long)) {
      state.long = null;
      break;
    }
  }
  return style;
}

type LuauState = State & { comment: boolean };

export const luauParser: StreamParser<LuauState> = {
  name: "luau",
  startState: () => ({ long: null, comment: false }),
  copyState: (state) => ({ ...state }),
  token(stream, state) {
    if (state.long !== null) return long(stream, state, state.comment ? "comment" : "string");
    if (stream.eatSpace()) return null;
    const block = stream.match(/^(?:--)?\[(=*)\[/);
    if (block && block !== true) {
      state.long = `]${block[1] ?? ""}]`;
      state.comment = (block[0] ?? "").startsWith("--");
      return long(stream, state, state.comment ? "comment" : "string");
    }
    if (stream.match("--")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match(/^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`(?:[^`\\]|\\.)*`?)/)) return "string";
    if (stream.match(/^(?:0[xX][\da-fA-F_]+|0[bB][01_]+|\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?)/))
      return "number";
    const before = stream.string.slice(0, stream.pos).trimEnd();
    const word = stream.match(/^[A-Za-z_]\w*/);
    if (word && word !== true) {
      const name = word[0] ?? "";
      if (before.endsWith(".") || before.endsWith(":")) return "propertyName";
      if (ATOMS.has(name)) return "atom";
      if (KEYWORDS.has(name)) return "keyword";
      return name in LIBRARY ? "variableName.special" : "variableName";
    }
    if (stream.match(/^(?:\.\.\.?|==|~=|<=|>=|[-+*/%^#<>=])/)) return "operator";
    stream.next();
    return "punctuation";
  },
  languageData: { commentTokens: { line: "--" }, indentOnInput: /^\s*(?:end|else|elseif|until)$/ },
};
