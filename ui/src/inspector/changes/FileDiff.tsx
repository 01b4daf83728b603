// The diff of a file between two states, or the reason why its text is not shown.
import { useEffect, useRef, useState } from "react";
import { classes } from "../../components/classes";
import type { Diff } from "../../components/code/diff";
import noteStyles from "../../components/Note.module.css";
import { Skeletons } from "../../components/Skeletons";
import type { ChangedFile, FileTexts } from "../../ipc/generated/bindings";
import styles from "./FileDiff.module.css";
import type { Layout } from "./store";
import { useTexts } from "./use-files";
import { hiddenWords, notesOf, textOf } from "./words";

type FileDiffProps = {
  runId: string;
  path: string;
  file: ChangedFile;
  layout: Layout;
  /** Called with the diff after it is drawn, and with null when the diff is removed. */
  onDiff(diff: Diff | null): void;
};

export function FileDiff({ runId, path, file, layout, onDiff }: FileDiffProps) {
  const texts = useTexts(runId, path, file);
  if (texts.state === "loading") return <Skeletons label="Reading the file" lines={8} />;
  if (texts.state === "failed") {
    return (
      <p className={classes(noteStyles.note, "text-error")} role="alert">
        {texts.message}
      </p>
    );
  }
  const hidden = hiddenWords(texts.value);
  const notes = notesOf(file, texts.value);
  return (
    <>
      {notes.map((note) => (
        <p key={note} className={styles.note} data-testid="changes-note">
          {note}
        </p>
      ))}
      {hidden === null ? (
        <Text file={file} texts={texts.value} layout={layout} onDiff={onDiff} />
      ) : (
        <p className={styles.note} data-testid="changes-hidden">
          {hidden}
        </p>
      )}
    </>
  );
}

type TextProps = Pick<FileDiffProps, "file" | "layout" | "onDiff"> & { texts: FileTexts };

function Text({ file, texts, layout, onDiff }: TextProps) {
  const host = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState(false);
  const report = useRef(onDiff);
  report.current = onDiff;
  const before = textOf(texts.before);
  const after = textOf(texts.after);
  const { name } = file;
  useEffect(() => {
    let made: Diff | null = null;
    let isGone = false;
    import("../../components/code/diff").then(
      ({ createDiff }) => {
        if (isGone || host.current === null) return;
        made = createDiff(host.current, { before, after, layout, name });
        report.current(made);
      },
      () => setFailure(true),
    );
    return () => {
      isGone = true;
      made?.destroy();
      report.current(null);
    };
  }, [before, after, layout, name]);
  if (failure) return <p className={styles.note}>The view of differences could not be loaded. Try again.</p>;
  return <div ref={host} className={styles.diff} data-layout={layout} data-testid="changes-diff" />;
}
