// Detects changes to open files by other windows or programs. The files are checked when the window is
// focused.
import { fileName, isFileDirty, useDocument } from "../document/document";
import { reloadDocument, saveDocument } from "../document/files";
import { api } from "../ipc/client";
import { useSession } from "../session/session";
import { useTabs } from "./tabs";

/**
 * The changes that the user was notified of, keyed by file: the opened version and the version found on disk.
 */
const notifiedVersions = new Map<string, string>();

/** Dismisses the message about a file once the file is saved or read again. */
function untilSettled(path: string, toast: number): void {
  const { version, savedAt } = useDocument.getState();
  const stop = useDocument.subscribe((s) => {
    if (s.path !== path || (s.version === version && s.savedAt === savedAt)) return;
    useSession.getState().dismiss(toast);
    stop();
  });
}

/**
 * Reports a missing file. Its content now exists only in this window, so it counts as unsaved and closing it
 * asks first.
 */
function notifyLost(path: string): void {
  useDocument.getState().markLost();
  const { toast, dismiss } = useSession.getState();
  const id = toast({
    tone: "warn",
    stays: true,
    title: `“${fileName(path, undefined)}” was moved or deleted.`,
    detail: "Its content is still open here. Saving writes the file again.",
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

/** Compares the file in front with the version on disk, and reports a change once. */
export async function lookOutside(): Promise<void> {
  const { path, version, suspended } = useDocument.getState();
  if (path === null || version === null || suspended !== null) return;
  const now = await api().fileVersion(path);
  // By now, the file may have been saved, or another may be in front.
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
      ? "Your changes are still here; saving asks which version to keep."
      : "You see its earlier version.",
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
 * Checks the file in front whenever the window or a tab comes to the front. Returns a function that stops
 * this.
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
