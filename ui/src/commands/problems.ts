// Steps through the problems and applies their fixes. A fix is a list of edits from Rust, and one undo entry.
import { useAnalysis } from "../document/analysis";
import { useDocument } from "../document/document";
import { applyEdits } from "../document/edits";
import { enterSubflow } from "../document/files";
import type { Edit, Fix, Problem } from "../ipc/generated/bindings";
import { freePlace } from "../kernels/placement";
import { collapseDock, isDockCollapsed } from "../runs/view/dock-size";
import { afterNextDraw, canvasView } from "../session/canvas-view";
import { useProblemCursor } from "../session/problem-cursor";
import { useSession } from "../session/session";
import { showEdits } from "./change-in-view";
import type { Command } from "./command";
import { inEditor } from "./selection";

/** The size of an unmeasured card, in pixels. */
const NEW_CARD = { width: 196, height: 110 };

/** Shows a problem at its place. The place may be inside a subflow, whose nodes are named by their path. */
export function showProblem(problem: Problem): void {
  const [around, ...rest] = problem.node?.split("/") ?? [];
  const here = useDocument.getState().document.nodes;
  if (around === undefined || rest.length === 0 || here.some((n) => n.id === problem.node)) {
    showHere(problem);
    return;
  }
  void enterSubflow(around).then((entered) => {
    if (entered) showProblem({ ...problem, node: rest.join("/") });
  });
}

function showHere(problem: Problem): void {
  const session = useSession.getState();
  const edge = problem.place?.startsWith("edge:") ? problem.place.slice(5) : null;
  if (edge) session.select([], [edge]);
  else if (problem.node) session.select([problem.node]);
  const { node } = problem;
  // The node is revealed after the dock, if it has just been opened, has taken its space.
  if (node) void afterNextDraw((view) => view.reveal([node]));
  session.patch({
    focusField: problem.node && problem.place && !edge ? `${problem.node}.${problem.place}` : null,
  });
}

/** Returns the edits of the fixes. Added nodes are moved to positions where they cover no other nodes. */
export function fixEdits(fixes: readonly Fix[]): Edit[] {
  const boxes = [...(canvasView()?.boxes().values() ?? [])];
  return fixes
    .flatMap((fix) => fix.edits)
    .map((edit) => {
      if (edit.op !== "add_node") return edit;
      const position = freePlace(edit.node.position, NEW_CARD, boxes);
      const { x, y } = position;
      boxes.push({ left: x, top: y, right: x + NEW_CARD.width, bottom: y + NEW_CARD.height });
      return { ...edit, node: { ...edit.node, position } };
    });
}

/** Applies fixes as one undo entry, and shows the changed nodes. */
export function applyFixes(fixes: readonly Fix[], label: string): void {
  const { document, edit } = useDocument.getState();
  const edits = fixEdits(fixes);
  edit(applyEdits(edits), { label });
  showEdits(edits, document);
}

export function applyFix(problem: Problem): void {
  if (problem.fix) applyFixes([problem.fix], problem.fix.title);
}

export const nextProblemCommand: Command = {
  id: "problems.next",
  label: "Next problem",
  icon: "circle-alert",
  keys: ["f8"],
  scope: "window",
  possible: () => inEditor() && useAnalysis.getState().analysis.problems.length > 0,
  run: () => {
    const { problems } = useAnalysis.getState().analysis;
    const index = (useProblemCursor.getState().index + 1) % problems.length;
    const problem = problems[index];
    if (!problem) return;
    useSession.getState().openDock("problems");
    useProblemCursor.setState({ index });
    showProblem(problem);
  },
};

export const applyFixCommand: Command = {
  id: "problems.fix",
  label: "Apply fix",
  icon: "wand-sparkles",
  keys: ["alt+enter"],
  scope: "window",
  possible: () => inEditor() && current()?.fix != null,
  run: () => {
    const problem = current();
    if (problem) applyFix(problem);
  },
};

function current(): Problem | undefined {
  const { problems } = useAnalysis.getState().analysis;
  const picked = problems[useProblemCursor.getState().index];
  if (picked) return picked;
  const [node] = useSession.getState().selection.nodes;
  return problems.find((problem) => problem.node === node && problem.fix);
}

export const validateCommand: Command = {
  id: "problems.show",
  label: "Validate",
  icon: "list-checks",
  scope: "window",
  possible: inEditor,
  run: () => {
    const session = useSession.getState();
    const isShown = session.dockOpen && !isDockCollapsed() && session.dockTab === "problems";
    if (isShown) collapseDock();
    else session.openDock("problems");
  },
};
