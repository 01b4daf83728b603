// Copies, cuts and pastes nodes through the system clipboard, as the JSON of a small flow. With a key, the
// page gets the clipboard from the web view's event (clipboard-events.ts). From a menu it requests access,
// which may be denied.

import { useDocument } from "../document/document";
import { removeElements } from "../document/edits";
import {
  cornerOf,
  type Fragment,
  fragmentOf,
  readFragment,
  sizeOf,
  writeFragment,
} from "../document/fragment";
import { putFragment } from "../document/paste";
import { GRID, type Point, snap, snapPoint } from "../kernels/geometry";
import { freePlace } from "../kernels/placement";
import { plural } from "../runs/words/format";
import { withHidden } from "../scene/hidden-nodes";
import { canvasView, showAdded } from "../session/canvas-view";
import { useSession } from "../session/session";
import { offerImport } from "../shell/import/import";
import type { Command } from "./command";
import { canEdit, targets } from "./selection";

/** The last copied text, for windows that may not read the clipboard. */
let copied = "";
/** Whether the copied text is stored only in `copied`, because the window may not write to the clipboard. */
let onlyHere = false;
/**
 * The last paste. The next paste of the same text at the same place is shifted, so that it does not cover the
 * last one.
 */
let last: { text: string; at: Point; times: number } | null = null;

export const hasTargets = (): boolean => targets().length > 0;

/** Returns the selection as text; null if nothing is selected. */
export function copyText(): string | null {
  const ids = withHidden(targets());
  if (ids.length === 0) return null;
  copied = writeFragment(fragmentOf(useDocument.getState().document, new Set(ids)));
  last = null;
  return copied;
}

/** Returns the selection as text and removes it from the flow. Returns null if nothing is selected. */
export function cutText(): string | null {
  const ids = withHidden(targets());
  const text = copyText();
  if (text === null) return null;
  const label = `Cut ${plural(ids.length, "node")}`;
  useDocument.getState().edit(removeElements(new Set(ids), new Set()), { label, select: [] });
  return text;
}

/**
 * Returns the offset by which a fragment is moved: its corner is placed at the pointer, or it is centred in
 * the view where it covers nothing.
 */
function offsetOf(fragment: Fragment, text: string): Point {
  const view = canvasView();
  const corner = cornerOf(fragment);
  const centre = view?.centre() ?? corner;
  const size = sizeOf(fragment);
  const inMiddle = { x: centre.x - size.width / 2, y: centre.y - size.height / 2 };
  const boxes = [...(view?.boxes().values() ?? [])];
  const at = view?.pointer() ?? freePlace(inMiddle, size, boxes);
  const again = last !== null && last.text === text && near(last.at, at);
  last = { text, at, times: again && last ? last.times + 1 : 0 };
  const beside = last.times * 2 * GRID;
  const to = snapPoint({ x: at.x + beside, y: at.y + beside });
  return { x: to.x - snap(corner.x), y: to.y - snap(corner.y) };
}

const near = (a: Point, b: Point): boolean => Math.hypot(a.x - b.x, a.y - b.y) < GRID;

/** Pastes text that contains a flow or a part of one. Returns false if it contains neither. */
export async function pasteText(text: string): Promise<boolean> {
  const fragment = readFragment(text);
  if (fragment === null) return false;
  const ids = await putFragment(
    fragment,
    offsetOf(fragment, text),
    `Paste ${plural(fragment.nodes.length, "node")}`,
  );
  if (ids[0] === undefined) return true;
  showAdded(ids);
  canvasView()?.focus(ids[0]);
  return true;
}

/** Records that the last copied text has reached the clipboard. */
export function isOnClipboard(): void {
  onlyHere = false;
}

/** Pastes the text of the clipboard. Shows a message if the text contains no flow. */
export async function pasteOrSay(text: string): Promise<void> {
  if ((await pasteText(text)) || (onlyHere && (await pasteText(copied))) || (await offerImport(text))) return;
  const detail =
    "Copy nodes here or in another window first. You can also paste the JSON of a flow, in any format that Loopwright imports.";
  useSession.getState().toast({ title: "There are no nodes on the clipboard", detail });
}

async function offer(text: string | null): Promise<void> {
  if (text === null) return;
  try {
    await navigator.clipboard.writeText(text);
    onlyHere = false;
  } catch {
    // Without permission for the clipboard, pasting within this window uses the stored copy.
    onlyHere = true;
  }
}

async function clipboardText(): Promise<string> {
  try {
    return await navigator.clipboard.readText();
  } catch {
    return copied;
  }
}

export const copyCommand: Command = {
  id: "edit.copy",
  label: "Copy",
  icon: "copy",
  keys: ["mod+c"],
  clipboard: "copy",
  scope: "canvas",
  possible: hasTargets,
  run: () => offer(copyText()),
};

export const cutCommand: Command = {
  id: "edit.cut",
  label: "Cut",
  icon: "scissors",
  keys: ["mod+x"],
  clipboard: "cut",
  scope: "canvas",
  possible: () => canEdit() && hasTargets(),
  run: () => offer(cutText()),
};

export const pasteCommand: Command = {
  id: "edit.paste",
  label: "Paste",
  icon: "clipboard-paste",
  keys: ["mod+v"],
  clipboard: "paste",
  scope: "canvas",
  possible: canEdit,
  run: async () => pasteOrSay(await clipboardText()),
};
