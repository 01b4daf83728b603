// Completions for templates, expressions and scripts: names with their last values, filters, tests, tags.
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import type { ScriptLanguage } from "../../../components/CodeEditor";
import { SCRIPT_WORDS, writtenIn } from "../../../components/code/script-words";
import { completingAt, inserted, type TeraMode } from "../../../components/code/tera";
import type { NameInScope, NamesInScope, Word } from "../../../ipc/generated/bindings";

const SECTIONS: Readonly<Record<NameInScope["group"], { name: string; rank: number }>> = {
  input: { name: "Inputs", rank: 0 },
  variable: { name: "Variables", rank: 1 },
  node: { name: "Earlier nodes", rank: 2 },
  previous: { name: "Previous iteration", rank: 3 },
  loop: { name: "Counters", rank: 4 },
  run: { name: "Inputs of the run", rank: 5 },
};
const LANGUAGE_SECTION = { name: "Language", rank: 9 };

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/**
 * Returns a function that renders the description of a completion, and below it the last value of the name if
 * `value` is not null.
 */
function about(text: string, value: string | null): () => HTMLElement {
  return () => {
    const element = document.createElement("div");
    const words = document.createElement("p");
    words.textContent = text;
    element.append(words);
    if (value !== null) {
      const shown = document.createElement("code");
      shown.textContent = value;
      element.append(shown);
    }
    return element;
  };
}

/** Returns completions for the names, each followed by the fields of its last value. */
export function nameCompletions({ names, from }: NamesInScope): Completion[] {
  return names.flatMap((name) => {
    const section = SECTIONS[name.group];
    const missing = name.mayBeMissing ? " It may be missing: add a default." : "";
    const unknown = from === null ? "" : name.last === null ? " It had no value in the last run." : "";
    const own: Completion = {
      label: name.written,
      type: `name t-${name.valueType}`,
      section,
      detail: name.last === null ? name.valueType : oneLine(name.last),
      info: about(`${name.description}.${missing}${unknown}`, name.last),
    };
    const fields = name.fields.map((field) => ({
      label: field.written,
      type: "name",
      section,
      detail: oneLine(field.last),
      info: about(`a field of ${name.description}.`, field.last),
      boost: -10,
    }));
    return [own, ...fields];
  });
}

function wordCompletions(words: readonly Word[], kinds: readonly Word["kind"][]): Completion[] {
  return words
    .filter((word) => kinds.includes(word.kind))
    .map((word) => ({
      label: word.name,
      type: word.kind,
      detail: word.usage === word.name ? "" : word.usage,
      info: about(word.doc, word.usage),
      apply: word.kind === "tag" ? word.name : applied(word.usage),
      ...(kinds.length > 1 ? { section: LANGUAGE_SECTION, boost: -50 } : {}),
    }));
}

/**
 * Returns the text that a completion inserts: the usage up to its first ` %}`, with the names of the arguments.
 * For `raw %}…{% endraw`, this is `raw`.
 */
const applied = (usage: string): string => usage.replace(/ %\}.*$/, "");

/** Returns the completions at a place of a template or expression; null if there are none. */
export function teraCompletions(
  text: string,
  at: number,
  mode: TeraMode,
  explicit: boolean,
  names: NamesInScope,
  words: readonly Word[],
): CompletionResult | null {
  const place = completingAt(text, at, mode);
  if (place === null) {
    // In plain text, names are completed only on request, wrapped in `{{ }}`.
    if (!explicit || mode !== "template") return null;
    const options = nameCompletions(names).map((option) => ({
      ...option,
      apply: inserted(text, at, mode, option.label),
    }));
    return { from: at, options };
  }
  if (place.from === at && !explicit && !/[{|%.\s(=!<>]$/.test(text.slice(0, at))) return null;
  const typed = place.from < at;
  switch (place.what) {
    case "filter":
    case "test":
    case "tag":
      return { from: place.from, options: wordCompletions(words, [place.what]), validFor: /^\w*$/ };
    case "name": {
      const options = nameCompletions(names).map((option) => spaced(option, text, place.from, at));
      // After a name only an operator can follow. If nothing is typed, only names are offered.
      const more = typed || explicit ? wordCompletions(words, ["function", "operator"]) : [];
      return { from: place.from, options: [...options, ...more], validFor: /^[\w.?["\s\]-]*$/ };
    }
  }
}

/**
 * Adds a space on both sides of a name in `{{ }}`, the style of templates here. The cursor is placed after
 * the name.
 */
function spaced(option: Completion, text: string, start: number, at: number): Completion {
  const before = text.slice(0, start).endsWith("{{") ? " " : "";
  const after = text.slice(at).startsWith("}}") ? " " : "";
  if (before === "" && after === "") return option;
  const name = `${before}${option.label}`;
  const apply: Completion["apply"] = (view, _, from, to) =>
    view.dispatch({
      changes: { from, to, insert: `${name}${after}` },
      selection: { anchor: from + name.length },
      userEvent: "input.complete",
    });
  return { ...option, apply };
}

/**
 * The patterns of a partly typed name: `before` matches the text before the cursor, and `valid` matches the
 * text for which an open list of completions stays valid. A Python name can continue in brackets:
 * `input["price"]`.
 */
const TYPED: Readonly<Record<ScriptLanguage, readonly [before: RegExp, valid: RegExp]>> = {
  luau: [/[A-Za-z_][\w.]*/, /^[\w.]*$/],
  python: [/[A-Za-z_][\w.]*(?:\["[^"\]]*(?:"\])?)*/, /^[\w.]*(?:\["[^"\]]*(?:"\])?)*$/],
  javascript: [/[A-Za-z_$][\w$.]*/, /^[\w$.]*$/],
};

/**
 * Returns the completions in a script: the script's globals, which have the names that a template can use,
 * and the words of the language. Null if the cursor is not at a name and the user did not ask for
 * completions.
 */
export function scriptCompletions(
  context: CompletionContext,
  language: ScriptLanguage,
  { names, from }: NamesInScope,
): CompletionResult | null {
  const [before, validFor] = TYPED[language];
  const typed = context.matchBefore(before);
  if (typed === null && !context.explicit) return null;
  const { keywords, library } = SCRIPT_WORDS[language];
  const own: Completion[] = [
    ...Object.entries(library).map(([label, usage]) => ({
      label,
      type: "function",
      detail: "",
      info: about(usage, null),
      boost: -20,
    })),
    ...[...keywords].map((label) => ({ label, type: "operator", boost: -40 })),
  ];
  const read = nameCompletions({ mode: "script", names, from }).map((option) => {
    const label = writtenIn(language, option.label);
    return label.endsWith("]") ? { ...option, label, apply: overClosed(label) } : { ...option, label };
  });
  return { from: typed?.from ?? context.pos, options: [...read, ...own], validFor };
}

/**
 * Inserts a name in place of the typed part, together with an automatically closed quote and bracket after
 * it.
 */
const overClosed =
  (label: string): Completion["apply"] =>
  (view, _, from, to) => {
    const opened = /\["[^"\]]*$/.test(view.state.sliceDoc(from, to));
    const closed = opened ? (/^"\]/.exec(view.state.sliceDoc(to, to + 2))?.[0].length ?? 0) : 0;
    view.dispatch({
      changes: { from, to: to + closed, insert: label },
      selection: { anchor: from + label.length },
      userEvent: "input.complete",
    });
  };
