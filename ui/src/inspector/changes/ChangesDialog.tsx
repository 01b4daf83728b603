// The changes of a loop in a dialog as large as the window: the files, and the diff of the chosen one.
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from "react";
import { Button, IconButton } from "../../components/Button";
import type { Diff } from "../../components/code/diff";
import { Segmented } from "../../components/fields";
import noteStyles from "../../components/Note.module.css";
import { useModal } from "../../components/use-modal";
import type { ChangedFile, FileChanges } from "../../ipc/generated/bindings";
import { escapeInvisible } from "../../kernels/visible";
import { useWorkspaces } from "../../runs/workspace/loop-workspace";
import { testIds } from "../../testids";
import styles from "./ChangesDialog.module.css";
import { ChangedTests, unlessLoaded, useComparedFiles } from "./ChangesTab";
import { Compared } from "./Compared";
import { FileDiff } from "./FileDiff";
import { FileList } from "./FileList";
import { type ChangesOf, fileKey, type Layout, stateName, useChanges } from "./store";
import { CHANGE_WORDS, totalWords } from "./words";

export function ChangesDialog() {
  const open = useChanges((s) => s.open);
  return open === null ? null : <OpenChanges of={open} />;
}

function OpenChanges({ of }: { of: ChangesOf }) {
  const box = useRef<HTMLDialogElement>(null);
  const workspace = useWorkspaces((s) => s.known[`${of.runId}|${of.path}`]?.workspace ?? null);
  const { layout, setLayout, close, apply } = useChanges();
  const { states, files } = useComparedFiles(of, workspace);
  const [diff, setDiff] = useState<Diff | null>(null);
  const onDiff = useCallback((made: Diff | null) => setDiff(made), []);
  useModal(box);
  const isRead = files.state === "ready";
  const wasRead = useRef(false);
  useEffect(() => {
    if (!isRead || wasRead.current) return;
    wasRead.current = true;
    box.current?.querySelector<HTMLElement>('[role="option"][tabindex="0"]')?.focus();
  }, [isRead]);
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "F7" || diff === null) return;
    event.preventDefault();
    diff.move(event.shiftKey ? "previous" : "next");
  };
  return (
    <dialog
      ref={box}
      className={styles.dialog}
      aria-label="Changed files"
      data-testid={testIds.changesDialog}
      onKeyDown={onKey}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <header>
        <b>Changed files</b>
        <span className="text-tertiary clip-text">
          {stateName(states.from)} → {stateName(states.to)}
        </span>
        <span className="grow" />
        <Segmented<Layout>
          small
          label="How the difference is shown"
          value={layout}
          options={[
            { value: "unified", label: "Unified" },
            { value: "split", label: "Side by side" },
          ]}
          onChange={setLayout}
        />
        <IconButton
          icon="chevron-up"
          label="Previous change"
          hint="Shift F7"
          disabled={!diff?.changes}
          onClick={() => diff?.move("previous")}
        />
        <IconButton
          icon="chevron-down"
          label="Next change"
          hint="F7"
          disabled={!diff?.changes}
          onClick={() => diff?.move("next")}
        />
        <Button
          small
          icon="git-branch"
          disabled={states.to === 0}
          onClick={() => apply({ ...of, iteration: states.to })}
        >
          Apply…
        </Button>
        <IconButton icon="x" label="Close" hint="Esc" onClick={close} />
      </header>
      <div className={styles.body}>
        <div className={styles.side}>
          <div className={styles.compared}>
            <Compared of={of} full />
          </div>
          {unlessLoaded(files) ?? (files.state === "ready" && <Side changes={files.value} />)}
        </div>
        <main className={styles.main}>
          {files.state === "ready" && <Main of={of} changes={files.value} layout={layout} onDiff={onDiff} />}
        </main>
      </div>
    </dialog>
  );
}

/** Returns the chosen file, or the first one if no file is chosen; null if there are no files. */
function useChosenFile(changes: FileChanges): ChangedFile | null {
  const chosen = useChanges((s) => s.file);
  return changes.files.find((file) => fileKey(file) === chosen) ?? changes.files[0] ?? null;
}

function Side({ changes }: { changes: FileChanges }) {
  const file = useChosenFile(changes);
  const { pick } = useChanges.getState();
  return (
    <>
      <p className={styles.total}>{totalWords(changes)}</p>
      <ChangedTests tests={changes.tests} />
      {changes.total > 0 && (
        <FileList
          changes={changes}
          chosen={file && fileKey(file)}
          follows
          onPick={(picked) => pick(fileKey(picked))}
        />
      )}
    </>
  );
}

type MainProps = {
  of: ChangesOf;
  changes: FileChanges;
  layout: Layout;
  onDiff(diff: Diff | null): void;
};

function Main({ of, changes, layout, onDiff }: MainProps) {
  const file = useChosenFile(changes);
  if (file === null) return <p className={noteStyles.note}>No file differs between these states.</p>;
  return (
    <>
      <h2 className={styles.name}>
        <code>{escapeInvisible(file.name)}</code>
        <span>{CHANGE_WORDS[file.change]}</span>
      </h2>
      <FileDiff runId={of.runId} path={of.path} file={file} layout={layout} onDiff={onDiff} />
    </>
  );
}
