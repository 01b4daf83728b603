// The words of the script languages, for completion: keywords, and the names available without a declaration.
// Rust decides which names exist; this list contains the useful ones.
import { KEYWORDS as LUAU_KEYWORDS, LIBRARY as LUAU_LIBRARY } from "./luau";

export type ScriptLanguage = "luau" | "python" | "javascript";

export type LanguageWords = {
  readonly keywords: ReadonlySet<string>;
  /** The library names, each with its usage. */
  readonly library: Readonly<Record<string, string>>;
};

const words = (text: string) => new Set(text.split(" "));

const PYTHON: LanguageWords = {
  keywords: words(
    "and as assert break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while",
  ),
  library: {
    abs: "abs(number)",
    all: "all(items)",
    any: "any(items)",
    bool: "bool(value)",
    chr: "chr(code)",
    dict: "dict(pairs)",
    divmod: "divmod(number, divisor)",
    enumerate: "for index, item in enumerate(items):",
    filter: "filter(function, items)",
    float: "float(text)",
    getattr: "getattr(value, name, default)",
    int: "int(text)",
    isinstance: "isinstance(value, type)",
    iter: "iter(items)",
    len: "len(items)",
    list: "list(items)",
    map: "map(function, items)",
    max: "max(items, key=…)",
    min: "min(items, key=…)",
    next: "next(iterator, default)",
    ord: "ord(character)",
    pow: "pow(base, exponent)",
    print: "print(…): written to the logs",
    range: "for index in range(count):",
    repr: "repr(value)",
    reversed: "reversed(items)",
    round: "round(number, digits)",
    set: "set(items): return it as sorted(…)",
    slice: "slice(start, stop)",
    sorted: "sorted(items, key=…, reverse=True)",
    str: "str(value)",
    sum: "sum(numbers)",
    tuple: "tuple(items)",
    type: "type(value)",
    zip: "for one, other in zip(ones, others):",
    Exception: "raise Exception(message)",
    KeyError: "except KeyError:",
    IndexError: "except IndexError:",
    TypeError: "except TypeError:",
    ValueError: "raise ValueError(message)",
    base64: "import base64: base64.b64encode, …",
    collections: "import collections: collections.Counter, …",
    datetime: "import datetime: datetime.date, datetime.timedelta, …",
    functools: "import functools: functools.reduce, …",
    itertools: "import itertools: itertools.chain, …",
    json: "import json: json.dumps(value), json.loads(text)",
    math: "import math: math.floor, math.sqrt, …",
    random: "import random: the same numbers in each run",
    re: "import re: re.search, re.sub, re.findall, …",
    statistics: "import statistics: statistics.mean, statistics.median, …",
  },
};

const JAVASCRIPT: LanguageWords = {
  keywords: words(
    "async await break case catch class const continue default delete do else extends false finally for function if in instanceof let new null of return static super switch this throw true try typeof undefined var void while yield",
  ),
  library: {
    Array: "Array.isArray(value), Array.from(items)",
    BigInt: "BigInt(text)",
    Boolean: "Boolean(value)",
    Date: "new Date(text), Date.parse(text)",
    Error: "throw new Error(message)",
    Infinity: "not allowed in JSON",
    JSON: "JSON.stringify(value), JSON.parse(text)",
    Map: "new Map(pairs)",
    Math: "Math.floor, Math.max, Math.round, …",
    NaN: "not allowed in JSON",
    Number: "Number(text), Number.isInteger(value)",
    Object: "Object.keys, Object.entries, Object.fromEntries, …",
    Promise: "Promise.all(promises)",
    RangeError: "throw new RangeError(message)",
    RegExp: "new RegExp(pattern, flags)",
    Set: "new Set(items)",
    String: "String(value)",
    Symbol: "Symbol(description)",
    TypeError: "throw new TypeError(message)",
    atob: "atob(base64)",
    btoa: "btoa(text)",
    console: "console.log(…): written to the logs",
    decodeURIComponent: "decodeURIComponent(text)",
    encodeURIComponent: "encodeURIComponent(text)",
    isNaN: "isNaN(value)",
    parseFloat: "parseFloat(text)",
    parseInt: "parseInt(text, 10)",
    structuredClone: "structuredClone(value)",
  },
};

export const SCRIPT_WORDS: Readonly<Record<ScriptLanguage, LanguageWords>> = {
  luau: { keywords: LUAU_KEYWORDS, library: LUAU_LIBRARY },
  python: PYTHON,
  javascript: JAVASCRIPT,
};

/**
 * Returns a name of the flow in a language's notation. The values in a Python script are dictionaries, so
 * `draft.response` becomes `draft["response"]`.
 */
export const writtenIn = (language: string, name: string): string =>
  language === "python"
    ? name.replace(/\["[^"]*"\]|\.(\w+)/g, (step, field) => (field === undefined ? step : `["${field}"]`))
    : name;
