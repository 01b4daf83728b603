// The files that differ between two states of a workspace, and their contents, loaded on demand.
import { useEffect, useState } from "react";
import { api, errorMessage } from "../../ipc/client";
import type { ChangedFile, FileChanges, FileTexts } from "../../ipc/generated/bindings";

export type Loading<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly message: string };

/**
 * Loads a value, again whenever its key changes. The state is `loading` until the value for the current key
 * is loaded.
 */
export function useLoading<T>(
  key: string | null,
  load: () => Promise<T>,
): Loading<T> & { key: string | null } {
  const [loaded, setLoaded] = useState<Loading<T> & { key: string | null }>({ state: "loading", key: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key names what is loaded.
  useEffect(() => {
    if (key === null) return;
    let wanted = true;
    load().then(
      (value) => wanted && setLoaded({ state: "ready", value, key }),
      (error: unknown) => wanted && setLoaded({ state: "failed", message: errorMessage(error), key }),
    );
    return () => {
      wanted = false;
    };
  }, [key]);
  return loaded.key === key ? loaded : { state: "loading", key };
}

/**
 * Returns the files that differ between two states of a loop's workspace. If `to` is null, compares with the
 * loop's result. A change of `progress` loads the files again. While `progress` is null, because the
 * workspace is not known yet, nothing is loaded.
 */
export function useFiles(
  runId: string,
  path: string,
  { from, to }: { from: number; to: number | null },
  progress: string | null,
): Loading<FileChanges> {
  const key = progress === null ? null : [runId, path, from, to, progress].join("|");
  return useLoading(key, () => api().workspaceChanges(runId, path, from, to));
}

/** Returns the content of a file in both states. */
export function useTexts(runId: string, path: string, file: ChangedFile | null): Loading<FileTexts> {
  const key = file && [runId, path, file.before?.hash ?? "", file.after?.hash ?? ""].join("|");
  return useLoading(key, () => api().workspaceTexts(runId, path, file?.before ?? null, file?.after ?? null));
}
