// CodeMirror configured for the fields of the form. This is the only module that imports the editor, so that
// it is loaded with the first field and not with the window.
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
import styles from "../CodeEditor.module.css";
import { classes } from "../classes";
import { type ScriptLanguage, writtenIn } from "./script-words";
import { luau, teraExpression, teraTemplate } from "./stream-languages";
import { holeAt, inserted } from "./tera";

export type Language = "template" | "expression" | "json" | ScriptLanguage;

/** A problem at a range of the text, in UTF-16 code units. */
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
  /** An external undo history, such as the document's. Without one the field keeps its own. */
  readonly undo?: { undo(): void; redo(): void };
  onChange(text: string): void;
  onFocus?(): void;
};

const External = Annotation.define<true>();

/** A mounted editor: its view, and the functions that change it. `destroy` unmounts it. */
export type Editor = {
  readonly view: EditorView;
  setText(text: string): void;
  setMarks(marks: readonly Mark[]): void;
  setAttributes(attributes: Readonly<Record<string, string>>): void;
  insert(name: string, at?: number): void;
  destroy(): void;
};

/** The background of each hole of a template, even an empty one. */
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

/**
 * Within holes all kinds of brackets are closed automatically. In plain text only braces are closed, since a
 * brace starts a hole.
 */
const bracketsByPlace = EditorState.languageData.of((state, pos) => [
  {
    closeBrackets: {
      brackets: holeAt(state.doc.toString(), pos) === null ? ["{"] : ["(", "[", "{", '"'],
      before: ")]}%:;> \n",
    },
  },
]);

/**
 * When the end mark of a hole is typed just before the existing one, the cursor moves over the existing one,
 * including a space before it.
 */
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
    // Only the syntax of these languages is used. Their own completions do not know the names of the flow.
    case "python":
      return [pythonLanguage, indentUnit.of("    ")];
    case "javascript":
      return [javascriptLanguage, indentUnit.of("  ")];
    case "json":
      return [json(), indentUnit.of("  ")];
  }
}

/**
 * Every field has this extension at the same position, even without a linter. CodeMirror keeps the styles of
 * all fields in one sheet, in the order of the most recently created field. A different order would restyle
 * and lay out the whole window.
 */
const lintOf = (language: Language): Extension =>
  language === "json" ? linter(jsonLinter, { delay: 300 }) : linter(null);

/** An empty field is valid and means the default. */
const jsonLinter = (view: EditorView): Diagnostic[] =>
  view.state.doc.toString().trim() === "" ? [] : jsonParseLinter()(view);

/**
 * Escape closes a visible list. If no list is visible, the key is passed to the surrounding element, so that
 * the user leaves the field. A list that is still being computed is cancelled without notice, since nobody
 * has seen it. Tab accepts the selected entry of a list, otherwise it moves to the next field. These bindings
 * precede those of the list, which would handle Escape even while the list is invisible.
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
          tooltipClass: () => classes(styles.codeMenu, "code-menu"),
          optionClass: (completion) => `opt-${completion.type ?? "name"}`,
        }),
        // Menus overlay the panels around the field. Above a modal dialog, only its own descendants are
        // visible.
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
        // After an undo, the cursor is placed after the restored text.
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

/**
 * Returns the smallest replacement that turns one text into the other, or null if they are equal, so that the
 * cursor and the marks keep their positions.
 */
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
