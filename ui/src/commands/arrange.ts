// Aligns and distributes the selection. A folded group moves as one.

import { useDocument } from "../document/document";
import { moveNodes } from "../document/edits";
import { ALIGNMENTS, type Alignment, type Axis, aligned, distributed } from "../kernels/arrange";
import type { Box, Point } from "../kernels/geometry";
import { withFolded } from "../scene/hidden-nodes";
import { canvasView } from "../session/canvas-view";
import type { Command } from "./command";
import { canEdit, targets } from "./selection";

function boxes(): Map<string, Box> {
  const boxes = canvasView()?.boxes();
  return new Map(
    targets().flatMap((id) => {
      const box = boxes?.get(id);
      return box ? [[id, box] as const] : [];
    }),
  );
}

function arrange(label: string, place: (boxes: Map<string, Box>) => ReadonlyMap<string, Point>) {
  const act = () => useDocument.getState().edit(moveNodes(withFolded(place(boxes()))), { label });
  // Alignment needs exact sizes, so all cards are measured first.
  const measuring = canvasView()?.measureAll() ?? null;
  return measuring === null ? act() : measuring.then(act);
}

const words: Record<Alignment, { label: string; key: string; icon: Command["icon"] }> = {
  left: { label: "Align left edges", key: "alt+a", icon: "align-start-vertical" },
  centre: { label: "Align centres", key: "alt+h", icon: "align-center-vertical" },
  right: { label: "Align right edges", key: "alt+d", icon: "align-end-vertical" },
  top: { label: "Align top edges", key: "alt+w", icon: "align-start-horizontal" },
  middle: { label: "Align middles", key: "alt+v", icon: "align-center-horizontal" },
  bottom: { label: "Align bottom edges", key: "alt+s", icon: "align-end-horizontal" },
};

const alignCommands = ALIGNMENTS.map(
  (how): Command => ({
    id: `arrange.${how}`,
    label: words[how].label,
    icon: words[how].icon,
    keys: [words[how].key],
    scope: "canvas",
    possible: () => canEdit() && targets().length > 1,
    run: () => arrange(words[how].label, (all) => aligned(all, how)),
  }),
);

const distribute = (axis: Axis, label: string, key: string, icon: Command["icon"]): Command => ({
  id: `arrange.distribute-${axis}`,
  label,
  icon,
  keys: [key],
  scope: "canvas",
  possible: () => canEdit() && targets().length > 2,
  run: () => arrange(label, (all) => distributed(all, axis)),
});

export const arrangeCommands: readonly Command[] = [
  ...alignCommands,
  distribute("x", "Distribute across", "alt+shift+h", "align-horizontal-distribute-center"),
  distribute("y", "Distribute down", "alt+shift+v", "align-vertical-distribute-center"),
];
