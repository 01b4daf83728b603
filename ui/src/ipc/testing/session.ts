// The session of the double: open files and drafts, in memory.
import type { Backend } from "../client";
import type { Draft, FlowDoc } from "../generated/bindings";

type StoredDraft = Pick<Draft, "id" | "path" | "version" | "document">;

export function testSession(
  files: ReadonlyMap<string, { document: FlowDoc; version: number }>,
): Pick<Backend, "session" | "keepTabs" | "keepDraft" | "dropDraft" | "fileVersion"> {
  const drafts = new Map<string, StoredDraft>();
  let open: { files: string[]; active: string | null } = { files: [], active: null };
  const shown = (kept: StoredDraft): Draft => {
    const file = kept.path === null ? undefined : files.get(kept.path);
    return {
      ...structuredClone(kept),
      keptAt: "2026-01-05T10:00:00.000Z",
      saved: file ? structuredClone(file.document) : null,
      savedVersion: file ? String(file.version) : null,
    };
  };
  return {
    session: async () => ({ ...open, drafts: [...drafts.values()].map(shown), notes: [] }),
    keepTabs: async (paths, active) => {
      open = { files: paths, active };
    },
    keepDraft: async (id, path, version, document) =>
      drafts.set(id, { id, path, version, document: structuredClone(document) }),
    dropDraft: async (id) => drafts.delete(id),
    fileVersion: async (path) => {
      const file = files.get(path);
      return file ? String(file.version) : null;
    },
  };
}
