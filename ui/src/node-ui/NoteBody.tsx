// A note: its text as Markdown, edited in place after a double click.

import { useLayoutEffect, useRef, useState } from "react";
import { canEdit } from "../commands/selection";
import cardTextStyles from "../components/CardText.module.css";
import { classes } from "../components/classes";
import { Markdown } from "../components/Markdown";
import { editData } from "../document/document";
import { useSession } from "../session/session";
import { testIds } from "../testids";
import styles from "./NoteBody.module.css";
import type { NodeBodyProps } from "./node-body";
import { textOf } from "./Preview";

export function NoteBody({ id, data }: NodeBodyProps) {
  const text = textOf(data.text);
  const [isWriting, setWriting] = useState(false);
  if (isWriting)
    return (
      <NoteEditor
        text={text}
        onChange={(written) => editData(id, "text", written, "Edit note")}
        onEnd={() => setWriting(false)}
      />
    );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: for the pointer; Enter on the card opens its settings.
    <div
      className={classes(cardTextStyles.cardBody, styles.noteText)}
      data-testid={testIds.noteText}
      onDoubleClick={(event) => {
        if (!canEdit() || useSession.getState().layout !== "edit") return;
        // Without this, the double click would reach the card and open its settings.
        event.stopPropagation();
        setWriting(true);
      }}
    >
      {text === "" ? "Empty note. Double-click to write." : <Markdown text={text} />}
    </div>
  );
}

interface NoteEditorProps {
  text: string;
  onChange(text: string): void;
  onEnd(): void;
}

function NoteEditor({ text, onChange, onEnd }: NoteEditorProps) {
  // The canvas shows document changes one frame late. Without a draft, the field would lose letters.
  const [draft, setDraft] = useState(text);
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    area.current?.focus();
    area.current?.setSelectionRange(area.current.value.length, area.current.value.length);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text.
  useLayoutEffect(() => {
    if (!area.current) return;
    area.current.style.height = "auto";
    area.current.style.height = `${area.current.scrollHeight}px`;
  }, [draft]);
  return (
    <textarea
      ref={area}
      className={classes(cardTextStyles.cardBody, styles.noteText, styles.edited, "nodrag nopan nowheel")}
      aria-label="Note text"
      data-testid="note-edit"
      value={draft}
      onChange={(event) => {
        setDraft(event.target.value);
        onChange(event.target.value);
      }}
      onBlur={onEnd}
      onDoubleClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        // Without this, the canvas shortcuts would delete the selected nodes.
        event.stopPropagation();
        if (event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey))) {
          event.preventDefault();
          area.current?.closest<HTMLElement>(".react-flow__node")?.focus();
          area.current?.blur();
        }
      }}
    />
  );
}
