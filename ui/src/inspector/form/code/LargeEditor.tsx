// A node's text in a dialog as high as the window: the text, the available names, and the result with the
// values of the last run.
import { useEffect, useRef } from "react";
import { IconButton } from "../../../components/Button";
import type { Language } from "../../../components/CodeEditor";
import { editorIn } from "../../../components/code/open";
import { useModal } from "../../../components/use-modal";
import { useDocument } from "../../../document/document";
import { titleIn } from "../../../kernels/node-title";
import { FieldCode } from "./FieldCode";
import styles from "./LargeEditor.module.css";
import { Names } from "./Names";
import { Preview } from "./Preview";

interface LargeEditorProps {
  /** The displayed title of the field. */
  title: string;
  language: Language;
  nodeId: string;
  /** The path of the text in the node's data. */
  place: string;
  value: string;
  placeholder: string;
  onChange(text: string): void;
  onClose(): void;
}

/** Formats the length of a string: "1 line, 120 characters". */
export function lengthOf(text: string): string {
  const lines = text === "" ? 0 : text.split("\n").length;
  const characters = [...text].length;
  const count = (n: number, one: string) => `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;
  return `${count(lines, "line")}, ${count(characters, "character")}`;
}

export function LargeEditor(props: LargeEditorProps) {
  const { title, language, nodeId, place, value, placeholder, onChange, onClose } = props;
  const box = useRef<HTMLDialogElement>(null);
  const node = useDocument((s) => titleIn(s.document, nodeId));
  useModal(box);
  useEffect(() => {
    if (box.current) editorIn(box.current)?.view.focus();
  }, []);
  return (
    <dialog
      ref={box}
      className={styles.editor}
      aria-label={`${title} of ${node}`}
      data-testid="large-editor"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <b>{title}</b>
        <span className="text-tertiary clip-text">{node}</span>
        <span className="grow" />
        <span className="text-tertiary">{lengthOf(value)}</span>
        <IconButton icon="x" label="Close" hint="Esc" onClick={onClose} />
      </header>
      <div className={styles.body}>
        <FieldCode
          className={styles.code}
          label={title}
          language={language}
          nodeId={nodeId}
          place={place}
          value={value}
          placeholder={placeholder}
          rows={3}
          testId="large-editor-text"
          onChange={onChange}
        />
        <aside>
          <Preview
            nodeId={nodeId}
            place={place}
            value={value}
            always
            large
            otherwise="Once the workflow has run, the text appears here with the values of that run."
          />
          <Names nodeId={nodeId} field={place} className={styles.names} />
        </aside>
      </div>
    </dialog>
  );
}
