// CodeMirror put together for the fields of the form. The only module that imports the editor itself, so that it is loaded
// when the first field is shown and not with the window.
import {
  acceptCompletion,
  autocompletion,
  type CompletionSource,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
  completionStatus,
  currentCompletions,
  startCompletion,
} from "@codemirror/autocomplete";
import { history, historyKeymap, standardKeymap } from "@codemirror/commands";
import { javascriptLanguage } from "@codemirror/lang-javascript";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, diagnosticCount, linter, setDiagnostics } from "@codemirror/lint";
import { Annotation, Compartment, EditorState, type Extension, Prec, Transaction } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  keymap,
  MatchDecorator,
  placeholder as placeholderText,
  tooltips,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { type ScriptLanguage, writtenIn } from "./script-words";
import { luau, teraExpression, teraTemplate } from "./stream-languages";
import { holeAt, inserted } from "./tera";

export type Language = "template" | "expression" | "json" | ScriptLanguage;

/** What is wrong at a stretch of the text, in UTF-16 code units. */
export type Mark = {
  readonly from: number;
  readonly to: number;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly fix?: { readonly title: string; apply(): void };
};

export type EditorOptions = {
  readonly language: Language;
  readonly attributes: Readonly<Record<string, string>>;
  readonly placeholder: string;
  readonly complete?: CompletionSource;
  /** Undo and redo belong to somebody else, such as the document; without it the field has its own. */
  readonly undo?: { undo(): void; redo(): void };
  onChange(text: string): void;
  onFocus?(): void;
};

const External = Annotation.define<true>();

/** The part of an editor that changes while it stands. */
export type Editor = {
  readonly view: EditorView;
  setText(text: string): void;
  setMarks(marks: readonly Mark[]): void;
  setAttributes(attributes: Readonly<Record<string, string>>): void;
  insert(name: string, at?: number): void;
  destroy(): void;
};

/** The ground under each hole of a template, also where nothing is written yet. */
const holeDecorator = new MatchDecorator({
  regexp: /\{\{.*?\}\}|\{%.*?%\}/g,
  decoration: () => Decoration.mark({ class: "cm-hole" }),
});

const holeMarks = ViewPlugin.fromClass(
  class {
    decorations;
    constructor(view: EditorView) {
      this.decorations = holeDecorator.createDeco(view);
    }
    update(update: ViewUpdate) {
      this.decorations = holeDecorator.updateDeco(update, this.decorations);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

/** Brackets close themselves within holes; in plain text only the brace, which begins one. */
const bracketsByPlace = EditorState.languageData.of((state, pos) => [
  {
    closeBrackets: {
      brackets: holeAt(state.doc.toString(), pos) === null ? ["{"] : ["(", "[", "{", '"'],
      before: ")]}%:;> \n",
    },
  },
]);

/** Who types the end of a hole where it stands, perhaps after a space, goes over it. */
const overHoleEnd = EditorView.inputHandler.of((view, from, to, typed) => {
  if (typed !== "}" || from !== to) return false;
  const text = view.state.doc.toString();
  const over = text.startsWith(" }}", to) ? 2 : text.slice(from - 1, to + 1) === "}}" ? 1 : 0;
  if (over === 0 || holeAt(text, over === 2 ? from : from - 1) === null) return false;
  view.dispatch({ selection: { anchor: to + over }, userEvent: "select" });
  return true;
});

function languageOf(language: Language): Extension {
  switch (language) {
    case "template":
      return [teraTemplate, holeMarks, bracketsByPlace, overHoleEnd];
    case "expression":
      return [
        teraExpression,
        EditorState.languageData.of(() => [{ closeBrackets: { brackets: ["(", "[", '"'] } }]),
      ];
    case "luau":
      return [
        luau,
        indentUnit.of("  "),
        EditorState.languageData.of(() => [{ closeBrackets: { brackets: ["(", "[", "{", '"'] } }]),
      ];
    // Only the languages themselves: their own completions know nothing of the flow's names.
    case "python":
      return [pythonLanguage, indentUnit.of("    ")];
    case "javascript":
      return [javascriptLanguage, indentUnit.of("  ")];
    case "json":
      return [json(), indentUnit.of("  ")];
  }
}

/**
 * At the same place in every field, also where nothing is looked for: CodeMirror keeps the styles of all fields in one
 * sheet, in the order in which the last one made names them. Were that another than before, the whole window would be styled
 * and laid out again.
 */
const lintOf = (language: Language): Extension =>
  language === "json" ? linter(jsonLinter, { delay: 300 }) : linter(null);

/** An empty field is no mistake: it means the default. */
const jsonLinter = (view: EditorView): Diagnostic[] =>
  view.state.doc.toString().trim() === "" ? [] : jsonParseLinter()(view);

/**
 * Escape closes the list that is shown, else leaves the field as it leaves any other: whoever is around it takes the key. A
 * list that is only being looked for is given up without a word, because nobody has seen it. Tab takes what is chosen in
 * the list, else moves on as in any field. Before the keys of the list itself, which take Escape also for one not shown.
 */
const fieldKeys = Prec.highest(
  keymap.of([
    {
      key: "Escape",
      run: (view) => {
        const isShown = currentCompletions(view.state).length > 0;
        closeCompletion(view);
        return isShown;
      },
    },
    { key: "Tab", run: (view) => completionStatus(view.state) === "active" && acceptCompletion(view) },
    { key: "Alt-ArrowDown", run: startCompletion },
  ]),
);

function undoOf(undo: EditorOptions["undo"]): Extension {
  if (!undo) return [history(), keymap.of(historyKeymap)];
  const run = (what: () => void) => () => {
    what();
    return true;
  };
  return [
    Prec.high(
      keymap.of([
        { key: "Mod-z", run: run(undo.undo), preventDefault: true },
        { key: "Mod-y", mac: "Mod-Shift-z", run: run(undo.redo), preventDefault: true },
        { key: "Mod-Shift-z", run: run(undo.redo), preventDefault: true },
      ]),
    ),
    EditorView.domEventHandlers({
      beforeinput(event) {
        if (event.inputType !== "historyUndo" && event.inputType !== "historyRedo") return false;
        (event.inputType === "historyUndo" ? undo.undo : undo.redo)();
        return true;
      },
    }),
  ];
}

export function createEditor(parent: HTMLElement, text: string, options: EditorOptions): Editor {
  const attributes = new Compartment();
  const attributesOf = (of: Readonly<Record<string, string>>) => EditorView.contentAttributes.of({ ...of });
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        fieldKeys,
        languageOf(options.language),
        lintOf(options.language),
        undoOf(options.undo),
        closeBrackets(),
        bracketMatching(),
        autocompletion({
          ...(options.complete ? { override: [options.complete] } : {}),
          icons: false,
          tooltipClass: () => "code-menu",
          optionClass: (completion) => `opt-${completion.type ?? "name"}`,
        }),
        // Menus stand over the panels around the field, not within them; over a modal dialog only what is part of it.
        tooltips({ parent: parent.closest("dialog") ?? document.body }),
        syntaxHighlighting(classHighlighter),
        EditorView.lineWrapping,
        placeholderText(options.placeholder),
        attributes.of(attributesOf(options.attributes)),
        keymap.of([...closeBracketsKeymap, ...completionKeymap, ...standardKeymap]),
        EditorView.updateListener.of((update) => {
          if (update.focusChanged && update.view.hasFocus) options.onFocus?.();
          if (!update.docChanged) return;
          if (update.transactions.every((t) => t.annotation(External))) return;
          options.onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    view,
    setText(next) {
      const change = difference(view.state.doc.toString(), next);
      if (change === null) return;
      view.dispatch({
        changes: change,
        // What undo brings back is where one continues.
        selection: view.hasFocus ? { anchor: change.from + change.insert.length } : undefined,
        annotations: [External.of(true), Transaction.addToHistory.of(false)],
      });
    },
    setMarks(marks) {
      if (marks.length === 0 && diagnosticCount(view.state) === 0) return;
      const length = view.state.doc.length;
      view.dispatch(
        setDiagnostics(
          view.state,
          marks.map((mark) => diagnosticOf(mark, length)),
        ),
      );
    },
    setAttributes: (next) => view.dispatch({ effects: attributes.reconfigure(attributesOf(next)) }),
    insert(name, at) {
      const { language } = options;
      const mode = language === "template" ? "template" : "expression";
      const { from, to } = at === undefined ? view.state.selection.main : { from: at, to: at };
      const piece = inserted(view.state.doc.toString(), from, mode, writtenIn(language, name));
      view.dispatch({
        changes: { from, to, insert: piece },
        selection: { anchor: from + piece.length },
        userEvent: "input.paste",
      });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

function diagnosticOf({ from, to, severity, message, fix }: Mark, length: number): Diagnostic {
  return {
    from: Math.min(from, length),
    to: Math.min(Math.max(to, from), length),
    severity,
    message,
    actions: fix ? [{ name: fix.title, apply: () => fix.apply() }] : [],
  };
}

/** The one stretch in which two texts differ, so that the cursor and what is marked stay where they are. */
export function difference(
  before: string,
  after: string,
): { from: number; to: number; insert: string } | null {
  if (before === after) return null;
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < most - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

export { startCompletion };
export const editorOf = (element: HTMLElement): EditorView | null => EditorView.findFromDOM(element);
