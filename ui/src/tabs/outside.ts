// Detects changes that other windows or programs make to the open file. The file is checked when the window
// gets the focus or the active tab changes.
import { fileName, isFileDirty, useDocument } from "../document/document";
import { reloadDocument, saveDocument } from "../document/files";
import { api } from "../ipc/client";
import { useSession } from "../session/session";
import { useTabs } from "./tabs";

/**
 * For each file, the change that the user was last notified of: the version that was opened, and the version
 * found on disk.
 */
const notifiedVersions = new Map<string, string>();

/** Dismisses the message about a file once the file is saved or reloaded. */
function untilSettled(path: string, toast: number): void {
  const { version, savedAt } = useDocument.getState();
  const stop = useDocument.subscribe((s) => {
    if (s.path !== path || (s.version === version && s.savedAt === savedAt)) return;
    useSession.getState().dismiss(toast);
    stop();
  });
}

/**
 * Notifies that a file is missing. The file's content now exists only in this window, so it counts as
 * unsaved.
 */
function notifyLost(path: string): void {
  useDocument.getState().markLost();
  const { toast, dismiss } = useSession.getState();
  const id = toast({
    tone: "warn",
    stays: true,
    title: `“${fileName(path, undefined)}” was moved or deleted.`,
    detail: "Its content is still open here. If you save it, the file is created again.",
    actions: [
      {
        label: "Save it again",
        run: () => {
          dismiss(id);
          if (useDocument.getState().path === path) void saveDocument();
        },
      },
      { label: "Leave it", run: () => dismiss(id) },
    ],
  });
  untilSettled(path, id);
}

/** Compares the open file with its version on disk. Notifies the user once of each change. */
export async function lookOutside(): Promise<void> {
  const { path, version, suspended } = useDocument.getState();
  if (path === null || version === null || suspended !== null) return;
  const now = await api().fileVersion(path);
  // By now, the file may have been saved, or another tab may be active.
  const state = useDocument.getState();
  if (state.path !== path || state.version !== version || now === version) return;
  const found = `${version} ${now}`;
  if (notifiedVersions.get(path) === found) return;
  notifiedVersions.set(path, found);
  if (now === null) {
    notifyLost(path);
    return;
  }
  const { toast, dismiss } = useSession.getState();
  const dirty = isFileDirty(state);
  const id = toast({
    tone: "warn",
    stays: true,
    title: `“${fileName(path, undefined)}” was changed by another program.`,
    detail: dirty
      ? "Your changes are still here. When you save, Loopwright asks which version to keep."
      : "This tab still shows the earlier version.",
    actions: [
      {
        label: dirty ? "Discard my changes and reload" : "Reload it",
        run: () => {
          dismiss(id);
          if (useDocument.getState().path === path) void reloadDocument(path);
        },
      },
      { label: "Leave it", run: () => dismiss(id) },
    ],
  });
  untilSettled(path, id);
}

/**
 * Checks the open file for changes on disk whenever the window gets the focus or the active tab changes. Returns
 * a function that stops the checks.
 */
export function watchFiles(): () => void {
  const look = () => {
    lookOutside().catch(() => {
      // A failed check is not reported: saving detects the change too, and says why a file cannot be read.
    });
  };
  window.addEventListener("focus", look);
  const stop = useTabs.subscribe((s, before) => {
    if (s.active !== before.active) look();
  });
  return () => {
    window.removeEventListener("focus", look);
    stop();
  };
}
