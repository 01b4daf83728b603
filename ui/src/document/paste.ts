// Inserts a fragment into the shown flow with unused ids. Rust updates the references within the fragment,
// because it knows the template language.
import { ApiFailure, api, errorMessage } from "../ipc/client";
import type { RenamedData } from "../ipc/generated/bindings";
import type { Point } from "../kernels/geometry";
import { foldKey, useFoldedLoops } from "../session/folds";
import { useSession } from "../session/session";
import { breadcrumbPath, useDocument } from "./document";
import { addNodes, combineEdits } from "./edits";
import { asFlow, copied, type Fragment, newIds } from "./fragment";
import { addGroups } from "./groups";

const unchanged: RenamedData = { data: {}, places: 0, unread: [] };

/**
 * Adds copies of a fragment's nodes, moved by `offset`, as one undo entry called `label`. Returns the ids of
 * the copies. If they cannot be added, shows a message and returns an empty list; the list is also empty if
 * another flow was opened meanwhile.
 */
export async function putFragment(fragment: Fragment, offset: Point, label: string): Promise<string[]> {
  const before = useDocument.getState();
  const names = newIds(before.document, fragment);
  try {
    const { data } =
      names.size === 0 ? unchanged : await api().renameNodes(asFlow(fragment), Object.fromEntries(names));
    const { document, edit, place } = useDocument.getState();
    // By now another flow may be shown, or an id may be taken. In the latter case the insertion is repeated.
    if (place !== before.place) return [];
    const taken = new Set(document.nodes.map((node) => node.id));
    if (fragment.nodes.some(({ id }) => taken.has(names.get(id) ?? id)))
      return putFragment(fragment, offset, label);
    const copy = copied(document, fragment, names, data, offset);
    const ids = copy.nodes.map((node) => node.id);
    edit(combineEdits(addNodes(copy.nodes, copy.edges), addGroups(copy.groups)), { label, select: ids });
    foldLike(names);
    return ids;
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    const toast = { tone: "error" as const, title: "Nothing was added", detail: errorMessage(error) };
    useSession.getState().toast(toast);
    return [];
  }
}

/** Folds the copies of folded loops. */
function foldLike(names: ReadonlyMap<string, string>): void {
  const breadcrumbs = breadcrumbPath(useDocument.getState());
  const { folded, toggle } = useFoldedLoops.getState();
  for (const [original, copy] of names) {
    if (folded.has(foldKey(breadcrumbs, original))) toggle(foldKey(breadcrumbs, copy));
  }
}
