// The gallery's left column: navigation and recent files.

import { useEffect, useState } from "react";
import { commandById } from "../../commands";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Icon, type IconName } from "../../components/Icon";
import { tip } from "../../components/tip";
import { openPath } from "../../document/files";
import { api, errorMessage } from "../../ipc/client";
import type { RecentFile } from "../../ipc/generated/bindings";
import { exitTitle, formatAgo } from "../../runs/words/format";
import { useSession } from "../../session/session";
import { Key } from "../../shell/Key";
import { TourOffer } from "../../shell/tour/Tour";
import sideNavStyles from "../SideNav.module.css";
import styles from "./StartColumn.module.css";

export function StartColumn() {
  const show = useSession((s) => s.show);
  return (
    <aside className={sideNavStyles.sideNav} aria-label="Start">
      <div className={sideNavStyles.navItem} aria-current="page" data-current>
        <Icon name="layout-grid" size={15} />
        Templates
      </div>
      <Go icon="history" label="Runs" onClick={() => show("runs")} />
      <Go icon="plus" label="New workflow" command="file.new" />
      <Go icon="folder-open" label="Open file…" command="file.open" />
      <Go icon="git-branch" label="Open a repository…" command="file.openRepository" />
      <Go icon="import" label="Import…" command="file.import" />
      <RecentFiles />
      <span className="grow" />
      <TourOffer />
      <p className={formStyles.hint}>Drop a workflow file anywhere in this window to open it.</p>
    </aside>
  );
}

function Go({
  icon,
  label,
  command,
  onClick,
}: {
  icon: IconName;
  label: string;
  command?: string;
  onClick?: () => void;
}) {
  return (
    <button
      type="button"
      className={sideNavStyles.navItem}
      onClick={() => (command ? void commandById(command).run() : onClick?.())}
    >
      <Icon name={icon} size={15} />
      {label}
      {command && <Key command={command} />}
    </button>
  );
}

function RecentFiles() {
  const [files, setFiles] = useState<readonly RecentFile[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let wanted = true;
    api()
      .recentFiles()
      .then(
        (found) => wanted && setFiles(found),
        (error) => wanted && setFailure(errorMessage(error)),
      );
    return () => {
      wanted = false;
    };
  }, []);
  const forget = async (path: string) => {
    try {
      await api().forgetRecent(path);
      setFiles((all) => all.filter((f) => f.path !== path));
    } catch (error) {
      setFailure(errorMessage(error));
    }
  };
  return (
    <>
      <h3>Recent files</h3>
      {failure && <p className={classes(formStyles.hint, styles.recentNote, "text-error")}>{failure}</p>}
      {files.length === 0 && !failure && (
        <p className={classes(formStyles.hint, styles.recentNote)}>Files you open or save are listed here.</p>
      )}
      {files.map((file) => (
        <button
          key={file.path}
          type="button"
          className={classes(styles.recentFile, file.missing && styles.missing)}
          {...tip(file.path)}
          onClick={() => void (file.missing ? forget(file.path) : openPath(file.path))}
        >
          <Icon name="file-json" size={15} />
          <b>{file.name}</b>
          <span>{file.missing ? "file not found; click to remove" : aboutFile(file)}</span>
        </button>
      ))}
    </>
  );
}

function aboutFile(file: RecentFile): string {
  const run = file.lastRun;
  const when = formatAgo(Date.parse(run?.at ?? file.openedAt), Date.now());
  if (!run) return `${when}, not run yet`;
  if (run.status === "completed")
    return `${when}, ${run.exitReason === null || run.exitReason === "cancelled" ? "done" : exitTitle(run.exitReason).toLowerCase()}`;
  return `${when}, ${run.status}`;
}
