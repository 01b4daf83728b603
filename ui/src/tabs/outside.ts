// Files that another window or program changes while they are open here: looked for when the window is come back to.
import { fileName, isFileDirty, useDocument } from "../document/document";
import { reloadDocument, saveDocument } from "../document/files";
import { api } from "../ipc/client";
import { useSession } from "../session/session";
import { useTabs } from "./tabs";

/** What a person was asked about, by file: the version in hand, and what was found in its place. */
const notifiedVersions = new Map<string, string>();

/** Takes back what was said of a file once it is saved or read again: then it was answered. */
function untilSettled(path: string, toast: number): void {
  const { version, savedAt } = useDocument.getState();
  const stop = useDocument.subscribe((s) => {
    if (s.path !== path || (s.version === version && s.savedAt === savedAt)) return;
    useSession.getState().dismiss(toast);
    stop();
  });
}

/** What was its file's is in hand alone: it counts as not saved, so that closing asks. */
function notifyLost(path: string): void {
  useDocument.getState().markLost();
  const { toast, dismiss } = useSession.getState();
  const id = toast({
    tone: "warn",
    stays: true,
    title: `“${fileName(path, undefined)}” is no longer where it was.`,
    detail: "It was moved or deleted. What you see is kept here; saving writes it there again.",
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

/** Looks whether the file in front is still what was read here, and says so once where it is not. */
export async function lookOutside(): Promise<void> {
  const { path, version, suspended } = useDocument.getState();
  if (path === null || version === null || suspended !== null) return;
  const now = await api().fileVersion(path);
  // Meanwhile it may have been saved, or another may have come to the front.
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
      : "What you see is how it was.",
    actions: [
      {
        label: dirty ? "Give mine up and read it again" : "Read it again",
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

/** Looks whenever the window or a tab comes to the front. Returns what stops it. */
export function watchFiles(): () => void {
  const look = () => {
    lookOutside().catch(() => {
      // Saving finds it as well, and says why a file cannot be read.
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
