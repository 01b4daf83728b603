// Replaces search matches as one undo entry. References to a changed id are updated.
import { api, errorMessage } from "../ipc/client";
import { type Hit, replacements, withText } from "../kernels/find";
import { plural } from "../runs/words/format";
import { useDocument } from "./document";
import type { DocumentEdit } from "./document-edit";
import { combineEdits, renameNodes } from "./edits";
import { followHandles } from "./handle-names";
import { idProblem } from "./rename";

const setText =
  (id: string, path: readonly (string | number)[], text: string): DocumentEdit =>
  (document) => {
    const nodes = document.nodes.map((node) =>
      node.id === id ? { ...node, data: withText(node.data, path, text) as typeof node.data } : node,
    );
    return followHandles(document, { ...document, nodes }, id);
  };

/** Replaces the matches with `by`. Returns an error message, or null on success. */
export async function replaceHits(hits: readonly Hit[], by: string): Promise<string | null> {
  const before = useDocument.getState();
  const changes = replacements(hits, by);
  if (changes.length === 0) return "None of these matches can be replaced.";
  const texts = combineEdits(
    ...changes.map(
      ({ node, where, text }): DocumentEdit =>
        where.in === "data" ? setText(node, where.path, text) : (document) => document,
    ),
  );
  const names = new Map(
    changes.flatMap(({ node, where, text }) =>
      where.in === "id" && text !== node ? [[node, text] as const] : [],
    ),
  );
  for (const [old, id] of names) {
    const problem = idProblem(before.document, old, id);
    if (problem !== null) return problem;
  }
  try {
    const changed = texts(before.document);
    const renamed = names.size === 0 ? null : await api().renameNodes(changed, Object.fromEntries(names));
    const now = useDocument.getState();
    if (now.document !== before.document) return "The workflow changed in the meantime. Try again.";
    now.edit(combineEdits(texts, renamed ? renameNodes(names, renamed.data) : (d) => d), {
      label: `Replace ${plural(hits.length, "match", "matches")}`,
    });
    return null;
  } catch (error) {
    return errorMessage(error);
  }
}
