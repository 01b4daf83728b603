// A file that is dragged over the window: says that it will be opened, and opens it.
import { useEffect, useState } from "react";
import { Icon } from "../components/Icon";
import { followDraggedFiles } from "../ipc/client";
import { useSession } from "../session/session";
import { openOrImport } from "./import/import";

/** More than this at once is more likely a slip than a wish. */
const MOST = 20;

export async function openDropped(paths: readonly string[]): Promise<void> {
  for (const path of paths.slice(0, MOST)) await openOrImport(path);
  if (paths.length > MOST) {
    useSession.getState().toast({
      tone: "warn",
      title: `The first ${MOST} files were opened.`,
      detail: `${paths.length - MOST} more were dropped; they are as they were.`,
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
    <div className="drop-target" role="status">
      <span>
        <Icon name="folder-open" size={22} />
        Drop to open
      </span>
    </div>
  );
}
