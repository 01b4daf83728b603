// Puts a fragment into the flow that is shown, under ids that are free. What refers to its nodes from within follows: how,
// the Rust side says, because templates are its language.
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

/** Adds copies of a fragment's nodes, moved by `offset`, as one entry called `label`; gives their ids. */
export async function putFragment(fragment: Fragment, offset: Point, label: string): Promise<string[]> {
  const before = useDocument.getState();
  const names = newIds(before.document, fragment);
  try {
    const { data } =
      names.size === 0 ? unchanged : await api().renameNodes(asFlow(fragment), Object.fromEntries(names));
    const { document, edit, place } = useDocument.getState();
    // Meanwhile another flow may be shown, or an id be taken: then it is done again for what is there now.
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

/** Folds the copies of loops that are folded. */
function foldLike(names: ReadonlyMap<string, string>): void {
  const breadcrumbs = breadcrumbPath(useDocument.getState());
  const { folded, toggle } = useFoldedLoops.getState();
  for (const [original, copy] of names) {
    if (folded.has(foldKey(breadcrumbs, original))) toggle(foldKey(breadcrumbs, copy));
  }
}
