// The workspaces on this computer: private copies of folders in which loops worked. They can be opened and removed.
import { useCallback, useEffect, useState } from "react";
import { Button, IconButton } from "../../components/Button";
import cardStyles from "../../components/Card.module.css";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Icon } from "../../components/Icon";
import { Skeletons } from "../../components/Skeletons";
import { tip } from "../../components/tip";
import { api, errorMessage } from "../../ipc/client";
import type { WorkspaceRow, WorkspaceState } from "../../ipc/generated/bindings";
import { escapeInvisible } from "../../kernels/visible";
import { formatBytes } from "../../runs/words/bytes";
import { formatAgo, plural } from "../../runs/words/format";
import { askQuestion } from "../../session/dialog";
import monoTileStyles from "../MonoTile.module.css";
import styles from "../SettingsPage.module.css";
import rowStyles from "./SettingsRows.module.css";
import workspacesStyles from "./Workspaces.module.css";

const STATES: Record<WorkspaceState, { text: string; tone: string }> = {
  open: { text: "loop not finished", tone: "text-tertiary" },
  applied: { text: "applied", tone: "text-ok" },
  partlyApplied: { text: "only an earlier iteration was applied", tone: "text-warning" },
  unchanged: { text: "nothing changed", tone: "text-tertiary" },
  notApplied: { text: "not applied", tone: "text-warning" },
};

/** Returns whether a workspace can be removed without losing changes. */
const isDone = ({ state }: WorkspaceRow): boolean => state === "applied" || state === "unchanged";

export function Workspaces() {
  const [rows, setRows] = useState<readonly WorkspaceRow[] | null>(null);
  const [failures, setFailures] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  const read = useCallback(async (): Promise<string[]> => {
    try {
      setRows(await api().workspaces());
      return [];
    } catch (error) {
      return [errorMessage(error)];
    }
  }, []);
  useEffect(() => void read().then(setFailures), [read]);
  const remove = async (gone: readonly WorkspaceRow[], unapplied: boolean) => {
    setBusy(true);
    const failed: string[] = [];
    for (const row of gone) {
      try {
        await api().removeWorkspace(row.id, unapplied);
      } catch (error) {
        failed.push(`${nameOf(row)}: ${errorMessage(error)}`);
      }
    }
    setFailures([...failed, ...(await read())]);
    setBusy(false);
  };
  const open = async (row: WorkspaceRow) => {
    try {
      await api().openWorkspaceFolder(row.id);
      setFailures([]);
    } catch (error) {
      setFailures([errorMessage(error)]);
    }
  };
  const done = rows?.filter(isDone) ?? [];
  const bytes = rows?.reduce((sum, row) => sum + row.bytes, 0) ?? 0;
  return (
    <>
      <h2 className={styles.settingsHeading}>
        Workspaces
        {rows !== null && rows.length > 0 && (
          <span>
            {plural(rows.length, "copy", "copies")}, {formatBytes(bytes)}
          </span>
        )}
      </h2>
      <div className={classes(cardStyles.card, styles.card, rowStyles.table)} data-testid="workspaces">
        {failures.map((failure) => (
          <p key={failure} className={classes(rowStyles.padded, "text-error")} role="alert">
            {failure}
          </p>
        ))}
        {rows === null && failures.length === 0 && <Skeletons label="Reading the workspaces" lines={3} />}
        {rows?.map((row) => (
          <Row
            key={row.id}
            row={row}
            busy={busy}
            open={() => void open(row)}
            remove={(unapplied) => void remove([row], unapplied)}
          />
        ))}
        {rows?.length === 0 && (
          <p className={classes(formStyles.hint, rowStyles.padded)}>
            There are no workspaces. A Loop with a workspace works on a private copy of a folder, and the copy
            is listed here.
          </p>
        )}
        {rows !== null && rows.length > 0 && (
          <div className={rowStyles.addRow}>
            <Button
              small
              icon="trash-2"
              disabled={busy || done.length === 0}
              data-testid="clean-workspaces"
              onClick={() => void remove(done, false)}
            >
              Clean up
            </Button>
          </div>
        )}
      </div>
      <p className={classes(formStyles.hint, styles.footnote)}>
        “Clean up” removes copies in which nothing changed or whose last iteration was applied. Removing a
        copy also removes its recorded files, but the original folder is not changed.
      </p>
    </>
  );
}

const nameOf = ({ flow, path }: WorkspaceRow): string => `${flow ?? "A deleted run"}, ${path}`;

type RowProps = { row: WorkspaceRow; busy: boolean; open(): void; remove(unapplied: boolean): void };

function Row({ row, busy, open, remove }: RowProps) {
  const name = nameOf(row);
  const { text, tone } = STATES[row.state];
  const ask = async () => {
    if (isDone(row)) {
      remove(false);
      return;
    }
    const isSure = await askQuestion({
      title: "Remove a workspace that was not applied?",
      detail: `The changes in “${name}” will be lost, and the run can no longer be resumed or forked with its files.`,
      choices: [
        { label: "Keep it", value: false },
        { label: "Remove it", value: true, tone: "danger" as const },
      ],
      cancel: false,
    });
    if (isSure) remove(true);
  };
  return (
    <section
      className={classes(rowStyles.settingsRow, workspacesStyles.workspace)}
      aria-label={name}
      data-testid="workspace-row"
    >
      <span className={monoTileStyles.monoTile}>
        <Icon name="files" size={16} />
      </span>
      <div>
        <b>{name}</b>
        <small className={rowStyles.shown} {...tip(escapeInvisible(row.source))}>
          {escapeInvisible(row.source)}
        </small>
        <small>
          {formatAgo(row.madeAt, Date.now())} · {formatBytes(row.bytes)} · run {row.runId.slice(-8)}
        </small>
      </div>
      <span className={classes(rowStyles.rowState, tone)}>{text}</span>
      <span className="row">
        <IconButton icon="folder-open" size={15} label={`Open the folder of ${name}`} onClick={open} />
        <IconButton
          icon="trash-2"
          size={15}
          label={`Remove the workspace of ${name}`}
          disabled={busy}
          onClick={() => void ask()}
        />
      </span>
    </section>
  );
}
