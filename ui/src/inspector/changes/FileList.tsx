// The list of changed files, by folder. Arrow keys move, Enter opens.
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { classes } from "../../components/classes";
import { TextField } from "../../components/fields";
import noteStyles from "../../components/Note.module.css";
import { tip } from "../../components/tip";
import type { ChangedFile, FileChange, FileChanges } from "../../ipc/generated/bindings";
import { escapeInvisible } from "../../kernels/visible";
import { plural } from "../../runs/words/format";
import { ROLE_WORDS, type TestRole, testRoles } from "../../runs/workspace/test-words";
import { testIds } from "../../testids";
import styles from "./FileList.module.css";
import { fileKey } from "./store";
import { CHANGE_WORDS, linesWords, modeWords, partsOf } from "./words";

/** The maximum number of files that are drawn. A search finds the others. */
const MOST_ROWS = 400;
/** The minimum number of files for which a list has a search field. */
const SEARCHED = 12;

const LETTERS: Record<FileChange, string> = {
  added: "A",
  edited: "E",
  deleted: "D",
  renamed: "R",
  retyped: "T",
};

type FileListProps = {
  changes: FileChanges;
  /** The key of the chosen file; null if none is. */
  chosen: string | null;
  onPick(file: ChangedFile): void;
  /** Whether moving with the arrow keys also chooses a file. */
  follows?: boolean;
};

export function FileList({ changes, chosen, onPick, follows }: FileListProps) {
  const list = useRef<HTMLDivElement>(null);
  const [search, setSearch] = useState("");
  const [focused, setFocused] = useState<string | null>(null);
  const wanted = search.trim().toLowerCase();
  const found = changes.files.filter(({ name }) => name.toLowerCase().includes(wanted));
  const rows = found.slice(0, MOST_ROWS);
  const keys = rows.map(fileKey);
  const reachable = [focused, chosen].find((key) => key !== null && keys.includes(key)) ?? keys[0];
  const onKey = (event: KeyboardEvent) => {
    const at = keys.indexOf(reachable ?? "");
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: keys.length - 1 }[event.key];
    const row = next === undefined ? undefined : rows[Math.max(0, Math.min(rows.length - 1, next))];
    if (row === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    setFocused(fileKey(row));
    if (follows) onPick(row);
    list.current?.querySelectorAll<HTMLElement>('[role="option"]')[rows.indexOf(row)]?.focus();
  };
  const left = changes.total - changes.files.length;
  const roles = useMemo(() => testRoles(changes), [changes]);
  return (
    <div className={styles.files}>
      {changes.files.length > SEARCHED && (
        <div className={styles.search}>
          <TextField
            wide
            type="search"
            label="Search the files"
            placeholder="Search"
            value={search}
            onChange={setSearch}
          />
        </div>
      )}
      <div
        ref={list}
        className={styles.rows}
        role="listbox"
        aria-label="Changed files"
        tabIndex={-1}
        data-testid={testIds.changedFiles}
        onKeyDown={onKey}
      >
        {rows.map((file, i) => (
          <FileRow
            key={keys[i]}
            file={file}
            role={roles.get(file.name) ?? null}
            folder={i === 0 || partsOf(rows[i - 1]?.name ?? "").folder !== partsOf(file.name).folder}
            isChosen={keys[i] === chosen}
            isReachable={keys[i] === reachable}
            onPick={() => {
              setFocused(keys[i] ?? null);
              onPick(file);
            }}
          />
        ))}
      </div>
      {found.length === 0 && <p className={noteStyles.note}>No file name contains this text.</p>}
      {found.length > rows.length && (
        <p className={noteStyles.note}>{plural(found.length - rows.length, "more file")}: search for them.</p>
      )}
      {left > 0 && (
        <p className={noteStyles.note} data-testid="changes-cut">
          {plural(left, "more file")} not listed here. <code>loopwright workspace diff</code> prints all.
        </p>
      )}
    </div>
  );
}

type RowProps = {
  file: ChangedFile;
  /** The role of the file in the tests; null if it has none. */
  role: TestRole | null;
  /** Whether the folder is shown above the file, because it differs from the folder of the previous row. */
  folder: boolean;
  isChosen: boolean;
  isReachable: boolean;
  onPick(): void;
};

function FileRow({ file, role, folder, isChosen, isReachable, onPick }: RowProps) {
  const parts = partsOf(file.name);
  const words = CHANGE_WORDS[file.change];
  const shown = escapeInvisible(file.name);
  const mode = modeWords(file);
  const was = file.oldName === null ? null : `was ${escapeInvisible(file.oldName)}`;
  const test = role && ROLE_WORDS[role];
  const label = [words, shown, was, linesWords(file), mode, test].filter(Boolean).join(", ");
  return (
    <>
      {folder && parts.folder !== "" && (
        <span className={styles.folder} role="presentation" {...tip(shown)}>
          {escapeInvisible(parts.folder)}
        </span>
      )}
      <div
        className={classes(styles.file, parts.folder !== "" && styles.inFolder)}
        role="option"
        aria-selected={isChosen}
        tabIndex={isReachable ? 0 : -1}
        data-testid={testIds.changedFile}
        data-change={file.change}
        {...tip([shown, was, mode, test].filter(Boolean).join(" · "))}
        onClick={onPick}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          onPick();
        }}
      >
        <span className="sr-only">{label}</span>
        <span className={styles.letter} aria-hidden="true" {...tip(words)}>
          {LETTERS[file.change]}
        </span>
        <span className={styles.name} aria-hidden="true">
          {escapeInvisible(parts.name)}
          {mode !== null && <small>mode</small>}
          {role !== null && <small className="text-warning">{role === "test" ? "test" : "test setup"}</small>}
        </span>
        <Lines file={file} />
      </div>
    </>
  );
}

function Lines({ file }: { file: ChangedFile }) {
  if (file.insertions === null || file.deletions === null)
    return (
      <span className={styles.lines} aria-hidden="true">
        not text
      </span>
    );
  return (
    <span className={styles.lines} aria-hidden="true">
      {file.insertions > 0 && <i className="text-ok">+{file.insertions}</i>}
      {file.deletions > 0 && <i className="text-error">−{file.deletions}</i>}
    </span>
  );
}
