// Files dragged over the window: shows that they will be opened, and opens them.

import { useEffect, useState } from "react";
import { Icon } from "../components/Icon";
import { followDraggedFiles } from "../ipc/client";
import { useSession } from "../session/session";
import styles from "./DropTarget.module.css";
import { openOrImport } from "./import/import";

/** The maximum number of files opened by one drop. A larger drop is probably a mistake. */
const MAX_DROPPED_FILES = 20;

export async function openDropped(paths: readonly string[]): Promise<void> {
  for (const path of paths.slice(0, MAX_DROPPED_FILES)) await openOrImport(path);
  if (paths.length > MAX_DROPPED_FILES) {
    useSession.getState().toast({
      tone: "warn",
      title: `The first ${MAX_DROPPED_FILES} files were opened.`,
      detail: `Dropped files that were not opened: ${paths.length - MAX_DROPPED_FILES}.`,
    });
  }
}

export function DropTarget() {
  const [over, setOver] = useState(false);
  useEffect(() => {
    let stop: (() => void) | null = null;
    let gone = false;
    void followDraggedFiles({
      over: () => setOver(true),
      away: () => setOver(false),
      dropped: (paths) => {
        setOver(false);
        void openDropped(paths);
      },
    }).then((end) => {
      if (gone) end();
      else stop = end;
    });
    return () => {
      gone = true;
      stop?.();
    };
  }, []);
  if (!over) return null;
  return (
    <div className={styles.dropTarget} role="status">
      <span>
        <Icon name="folder-open" size={22} />
        Drop to open
      </span>
    </div>
  );
}
