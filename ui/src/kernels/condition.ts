// Conditions in two forms: as rows of pickers (value, operator, constant), and as the Tera expression stored
// in the flow. `readCondition` reads everything that `writeCondition` writes, with the same meaning. All
// other expressions stay text. Pure.

export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";

export type Operator =
  | Comparison
  | `length ${Comparison}`
  | "contains"
  | "not contains"
  | "starts with"
  | "ends with"
  | "matches"
  | "not matches"
  | "is true"
  | "is false"
  | "is empty"
  | "is not empty"
  | "exists"
  | "is missing";

/**
 * The right side: a constant with its type, or the name of another value. A number keeps its digits as
 * entered.
 */
export type Operand =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "number"; readonly text: string }
  | { readonly type: "boolean"; readonly text: "true" | "false" }
  | { readonly type: "nothing" }
  | { readonly type: "value"; readonly text: string };

export type Row = {
  /** A name with its fields: `result.score`, `nodes["my node"].output`. */
  readonly value: string;
  readonly operator: Operator;
  /** The right side; null if the operator takes none. */
  readonly operand: Operand | null;
};

export type Condition = { readonly joined: "and" | "or"; readonly rows: readonly Row[] };

export const COMPARISONS: readonly Comparison[] = ["==", "!=", "<", "<=", ">", ">="];

const ALONE: ReadonlySet<Operator> = new Set<Operator>([
  "is true",
  "is false",
  "is empty",
  "is not empty",
  "exists",
  "is missing",
]);

const TESTS: Readonly<Record<string, string>> = {
  contains: "is containing",
  "not contains": "is not containing",
  "starts with": "is starting_with",
  "ends with": "is ending_with",
  matches: "is matching",
  "not matches": "is not matching",
};

const TESTS_READ: Readonly<Record<string, Operator>> = {
  containing: "contains",
  starting_with: "starts with",
  ending_with: "ends with",
  matching: "matches",
};

/** Returns whether an operator has a right side. */
export const takesOperand = (operator: Operator): boolean => !ALONE.has(operator);

/** Returns the operand types allowed on the right of an operator, the default first. */
export function operandTypes(operator: Operator): readonly Operand["type"][] {
  if (operator.startsWith("length ")) return ["number", "value"];
  if (operator === "==" || operator === "!=") return ["text", "number", "boolean", "nothing", "value"];
  if (["starts with", "ends with", "matches", "not matches"].includes(operator)) return ["text", "value"];
  if (operator === "contains" || operator === "not contains") return ["text", "number", "value"];
  return takesOperand(operator) ? ["number", "text", "value"] : [];
}

/** Returns whether a row is complete and can be written. */
export function isComplete(row: Row): boolean {
  if (!isName(row.value)) return false;
  if (!takesOperand(row.operator)) return true;
  const { operand } = row;
  if (operand === null || !operandTypes(row.operator).includes(operand.type)) return false;
  if (operand.type === "number") return isNumber(operand.text);
  return operand.type !== "value" || isName(operand.text);
}

/** Returns the expression for the complete rows; empty if there are none. */
export function writeCondition({ joined, rows }: Condition): string {
  return rows.filter(isComplete).map(writeRow).join(` ${joined} `);
}

function writeRow({ value, operator, operand }: Row): string {
  const name = value.trim();
  switch (operator) {
    case "is true":
      return name;
    case "is false":
      return `not ${name}`;
    case "is empty":
      return `${name} | default(value="") | length == 0`;
    case "is not empty":
      return `${name} | default(value="") | length > 0`;
    case "exists":
      return `${name} is defined`;
    case "is missing":
      return `${name} is undefined`;
  }
  const right = operand === null ? "" : writeOperand(operand);
  const test = TESTS[operator];
  if (test !== undefined) return `${name} ${test}(pat=${right})`;
  return operator.startsWith("length ")
    ? `${name} | length ${operator.slice("length ".length)} ${right}`
    : `${name} ${operator} ${right}`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r" };
const UNESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

function writeOperand(operand: Operand): string {
  switch (operand.type) {
    case "text":
      return `"${operand.text.replace(/["\\]/g, "\\$&").replace(/[\n\t\r]/g, (c) => ESCAPES[c] ?? c)}"`;
    case "nothing":
      return "none";
    default:
      return operand.text.trim();
  }
}

type Token = { readonly kind: "name" | "number" | "text" | "symbol"; readonly text: string };

const TOKEN =
  /\s*(?:([A-Za-z_]\w*)|(\d[\d_]*(?:\.\d+)?)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)|(==|!=|<=|>=|[-<>|()[\].,=]))/suy;

/** Returns the tokens of an expression; null if it contains something that pickers never write. */
function tokens(source: string): Token[] | null {
  const found: Token[] = [];
  const text = source.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (match === null) return null;
    const [, name, number, quoted, symbol] = match;
    if (name !== undefined) found.push({ kind: "name", text: name });
    else if (number !== undefined) found.push({ kind: "number", text: number });
    else if (quoted !== undefined) found.push({ kind: "text", text: quoted });
    else found.push({ kind: "symbol", text: symbol ?? "" });
  }
  return found;
}

const WORDS: ReadonlySet<string> = new Set([
  ...["and", "or", "not", "in", "is", "if", "else"],
  ...["true", "True", "false", "False", "none", "None", "null"],
]);
const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text.trim());

/** Returns whether a string is exactly one name with its fields. */
export function isName(text: string): boolean {
  const all = tokens(text);
  if (all === null) return false;
  const reader = new Reader(all);
  return reader.name() !== null && reader.atEnd();
}

/**
 * Returns the rows of an expression; null if the pickers cannot represent it. An empty expression has no
 * rows.
 */
export function readCondition(source: string): Condition | null {
  if (source.trim() === "") return { joined: "and", rows: [] };
  const all = tokens(source);
  if (all === null) return null;
  const reader = new Reader(all);
  const rows: Row[] = [];
  let joined: Condition["joined"] | null = null;
  for (;;) {
    const row = reader.row();
    if (row === null) return null;
    rows.push(row);
    if (reader.atEnd()) return { joined: joined ?? "and", rows };
    const word = reader.word("and") ? "and" : reader.word("or") ? "or" : null;
    // "and" binds tighter than "or". An expression with both needs brackets, which rows cannot represent.
    if (word === null || (joined !== null && joined !== word)) return null;
    joined = word;
  }
}

class Reader {
  private at = 0;
  constructor(private readonly tokens: readonly Token[]) {}

  atEnd(): boolean {
    return this.at >= this.tokens.length;
  }

  private take(kind: Token["kind"], text?: string): string | null {
    const token = this.tokens[this.at];
    if (token?.kind !== kind || (text !== undefined && token.text !== text)) return null;
    this.at += 1;
    return token.text;
  }

  word(text: string): boolean {
    return this.take("name", text) !== null;
  }

  private symbol(text: string): boolean {
    return this.take("symbol", text) !== null;
  }

  /**
   * Parses a name such as `draft.scores[0]` or `nodes["my node"].output`. If there is no name at the current
   * token, returns null and consumes nothing.
   */
  name(): string | null {
    const begin = this.at;
    let text = this.take("name");
    if (text === null || WORDS.has(text) || text.startsWith("__")) {
      this.at = begin;
      return null;
    }
    for (;;) {
      if (this.symbol(".")) {
        const field = this.take("name");
        if (field === null) break;
        text += `.${field}`;
      } else if (this.symbol("[")) {
        const key = this.take("text") ?? this.take("number");
        if (key === null || !this.symbol("]")) break;
        text += `[${key}]`;
      } else return text;
    }
    this.at = begin;
    return null;
  }

  private comparison(): Comparison | null {
    const token = this.tokens[this.at];
    const found = token?.kind === "symbol" ? COMPARISONS.find((c) => c === token.text) : undefined;
    if (found === undefined) return null;
    this.at += 1;
    return found;
  }

  private operand(): Operand | null {
    const sign = this.symbol("-") ? "-" : "";
    const number = this.take("number");
    if (number !== null) return { type: "number", text: sign + number.replaceAll("_", "") };
    if (sign !== "") return null;
    const quoted = this.take("text");
    if (quoted !== null) {
      const text = unquoted(quoted);
      return text === null ? null : { type: "text", text };
    }
    for (const word of ["true", "True"]) if (this.word(word)) return { type: "boolean", text: "true" };
    for (const word of ["false", "False"]) if (this.word(word)) return { type: "boolean", text: "false" };
    for (const word of ["none", "None", "null"]) if (this.word(word)) return { type: "nothing" };
    const name = this.name();
    return name === null ? null : { type: "value", text: name };
  }

  row(): Row | null {
    if (this.word("not")) {
      const value = this.name();
      return value === null || !this.endsHere() ? null : { value, operator: "is false", operand: null };
    }
    const value = this.name();
    if (value === null) return null;
    if (this.endsHere()) return { value, operator: "is true", operand: null };
    if (this.word("is")) return this.test(value);
    return this.symbol("|") ? this.filtered(value) : this.compared(value, "");
  }

  private endsHere(): boolean {
    const next = this.tokens[this.at];
    return next === undefined || (next.kind === "name" && (next.text === "and" || next.text === "or"));
  }

  private checked(row: Row): Row | null {
    return isComplete(row) && this.endsHere() ? row : null;
  }

  private compared(value: string, prefix: "" | "length "): Row | null {
    const operator = this.comparison();
    const operand = operator === null ? null : this.operand();
    if (operator === null || operand === null) return null;
    return this.checked({ value, operator: `${prefix}${operator}` as Operator, operand });
  }

  private test(value: string): Row | null {
    const not = this.word("not");
    const name = this.take("name");
    if (name === "defined" || name === "undefined") {
      const missing = (name === "undefined") !== not;
      return this.checked({ value, operator: missing ? "is missing" : "exists", operand: null });
    }
    const operator = TESTS_READ[name ?? ""];
    if (operator === undefined) return null;
    const negated = operator === "contains" || operator === "matches" ? (`not ${operator}` as const) : null;
    if (not && negated === null) return null;
    if (!this.symbol("(") || !this.word("pat") || !this.symbol("=")) return null;
    const operand = this.operand();
    if (operand === null || !this.symbol(")")) return null;
    return this.checked({ value, operator: not && negated !== null ? negated : operator, operand });
  }

  private filtered(value: string): Row | null {
    if (this.word("length")) return this.compared(value, "length ");
    if (!this.word("default") || !this.symbol("(") || !this.word("value") || !this.symbol("=")) return null;
    const empty = this.take("text");
    if (empty?.length !== 2 || !this.symbol(")") || !this.symbol("|") || !this.word("length")) return null;
    const operator = this.comparison();
    if (this.take("number") !== "0") return null;
    if (operator === "==") return this.checked({ value, operator: "is empty", operand: null });
    return operator === ">" ? this.checked({ value, operator: "is not empty", operand: null }) : null;
  }
}

/** Returns the text between quotes; null if it contains an unknown escape. */
function unquoted(quoted: string): string | null {
  let known = true;
  const text = quoted.slice(1, -1).replace(/\\(.)/gsu, (_, c: string) => {
    if (`"'/\\`.includes(c)) return c;
    known &&= c in UNESCAPES;
    return UNESCAPES[c] ?? c;
  });
  return known ? text : null;
}

const SIGNS: Readonly<Record<Comparison, string>> = {
  "==": "=",
  "!=": "≠",
  "<": "<",
  "<=": "≤",
  ">": ">",
  ">=": "≥",
};

/** Returns the menu label of an operator. */
export function operatorLabel(operator: Operator): string {
  if (operator in SIGNS) return SIGNS[operator as Comparison];
  if (operator.startsWith("length "))
    return `length ${SIGNS[operator.slice("length ".length) as Comparison]}`;
  if (operator === "not matches") return "does not match";
  return operator === "not contains" ? "does not contain" : operator;
}

/**
 * Returns an expression in the form shown on a card: with mathematical signs, and lengths as `len(…)`. An
 * expression that cannot be shown as rows is only trimmed.
 */
export function shownCondition(source: string): string {
  const condition = readCondition(source);
  if (condition === null) return source.trim();
  return condition.rows.map(shownRow).join(` ${condition.joined} `);
}

function shownRow({ value, operator, operand }: Row): string {
  const right = operand === null ? "" : ` ${writeOperand(operand)}`;
  if (operator.startsWith("length "))
    return `len(${value}) ${SIGNS[operator.slice("length ".length) as Comparison]}${right}`;
  if (operator === "is true") return value;
  if (operator === "is false") return `not ${value}`;
  return `${value} ${operatorLabel(operator)}${right}`;
}
