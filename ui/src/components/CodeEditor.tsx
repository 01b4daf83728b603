// A field for code: templates, expressions, scripts, JSON. It behaves like a text area (as tall as its text,
// Tab moves to the next field, Escape leaves it) and knows its language. The editor's code is loaded with the
// first such field; until then a plain text area is used.

import type { CompletionSource } from "@codemirror/autocomplete";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import styles from "./CodeEditor.module.css";
import { classes } from "./classes";
import type { Editor, Language, Mark } from "./code/editor";
import { loadCode, loadedCode } from "./code/load";
import { register, usedNow } from "./code/open";
import type { ScriptLanguage } from "./code/script-words";

export type { Language, Mark, ScriptLanguage };

export type CodeEditorProps = {
  id?: string;
  label: string;
  value: string;
  language: Language;
  onChange(text: string): void;
  placeholder?: string;
  describedBy?: string;
  invalid?: boolean;
  /** Whether to check the spelling. By default, only templates are checked. */
  spellCheck?: boolean;
  testId?: string;
  /** The minimum height in lines. */
  rows?: number;
  marks?: readonly Mark[];
  complete?: CompletionSource;
  /** The undo history of the document. Without it the field keeps its own history. */
  undo?: { undo(): void; redo(): void };
  onFocus?(): void;
  className?: string;
};

const NO_MARKS: readonly Mark[] = [];

function attributesOf(props: CodeEditorProps): Record<string, string> {
  const { id, label, describedBy, invalid, testId, language, spellCheck = language === "template" } = props;
  return {
    ...(id ? { id } : {}),
    ...(testId ? { "data-testid": testId } : {}),
    ...(describedBy ? { "aria-describedby": describedBy } : {}),
    ...(invalid ? { "aria-invalid": "true" } : {}),
    "aria-label": label,
    spellcheck: String(spellCheck),
  };
}

export function CodeEditor(props: CodeEditorProps) {
  const { value, language, rows = 1, marks = NO_MARKS, invalid } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [code, setCode] = useState(loadedCode);

  useEffect(() => {
    if (code !== null) return;
    let gone = false;
    loadCode().then(
      (found) => {
        if (!gone) setCode(found);
      },
      () => {
        // If the editor cannot be loaded, the text area remains usable.
      },
    );
    return () => {
      gone = true;
    };
  }, [code]);

  useLayoutEffect(() => {
    const element = host.current;
    if (code === null || element === null) return;
    const { complete, undo } = latest.current;
    const made = code.createEditor(element, latest.current.value, {
      language,
      attributes: attributesOf(latest.current),
      placeholder: latest.current.placeholder ?? "",
      ...(complete ? { complete: (context) => latest.current.complete?.(context) ?? null } : {}),
      ...(undo
        ? { undo: { undo: () => latest.current.undo?.undo(), redo: () => latest.current.undo?.redo() } }
        : {}),
      onChange: (text) => latest.current.onChange(text),
      onFocus: () => {
        usedNow(element);
        latest.current.onFocus?.();
      },
    });
    editor.current = made;
    const forget = register(element, made);
    const unlabel = followLabel(latest.current.id, made);
    return () => {
      forget();
      unlabel();
      made.destroy();
      editor.current = null;
    };
  }, [code, language]);

  useLayoutEffect(() => editor.current?.setText(value), [value]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a recreated editor has no marks yet.
  useEffect(() => editor.current?.setMarks(marks), [marks, code, language]);

  const attributes = attributesOf(props);
  const attributesKey = JSON.stringify(attributes);
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are updated only when their content changes.
  useEffect(() => editor.current?.setAttributes(attributes), [attributesKey]);

  return (
    <div
      data-language={language}
      className={classes(
        styles.codeField,
        "code-field",
        invalid && styles.bad,
        invalid && "bad",
        props.className,
      )}
      style={{ "--rows": rows } as React.CSSProperties}
      data-code={language}
      ref={host}
    >
      {code === null && <Plain {...props} />}
    </div>
  );
}

/**
 * Handles clicks on the field's label, because the browser connects labels only to form elements and the
 * editor is not one. Returns a function that removes the handler.
 */
function followLabel(id: string | undefined, { view }: Editor): () => void {
  const labels = id ? [...document.querySelectorAll("label")] : [];
  const label = labels.find((found) => found.htmlFor === id);
  const focus = () => view.focus();
  label?.addEventListener("click", focus);
  return () => label?.removeEventListener("click", focus);
}

function Plain(props: CodeEditorProps) {
  const { "data-testid": testId, spellcheck: _, ...attributes } = attributesOf(props);
  return (
    <textarea
      {...attributes}
      data-testid={testId}
      className={classes(styles.codePlain, "code-plain")}
      rows={props.rows ?? 1}
      spellCheck={false}
      value={props.value}
      placeholder={props.placeholder}
      onChange={(e) => props.onChange(e.target.value)}
      onFocus={() => props.onFocus?.()}
    />
  );
}
