// Sets the exit condition of a Loop when a branch is wired to its Exit. The Loop then stops when that branch
// is taken. The change is part of the undo entry that added the wire. The analysis determines the branch, the
// loop and the condition, and its warning contains the fix.
import { useDocument } from "../document/document";
import type { DocumentEdit } from "../document/document-edit";
import { applyEdits, sameEnds, setData } from "../document/edits";
import { stateOf } from "../document/history";
import { useKinds } from "../document/kinds";
import { api } from "../ipc/client";
import type { Analysis, ExitChoice, FlowDoc, HandleInfo, Json, Problem } from "../ipc/generated/bindings";
import { titleIn } from "../kernels/node-title";
import { decidingBranches } from "../node-ui/loop/exit-evaluator";
import { useSession } from "../session/session";

/** The code for a branch that leads to the Exit of a loop that runs all its iterations. */
const IGNORED = "exit_ignored";
/** The code for a loop that stops at its Exit although every branch leads there. */
const ALWAYS = "evaluator_always_exits";

type Shown = ReturnType<typeof useDocument.getState>;

/** Watches all edits that add wires, until the returned function is called. */
export function followWires(): () => void {
  /**
   * For each loop whose exit condition a wire changed: the previous condition, and the flow that contains the
   * loop.
   */
  const changed = new Map<string, { place: number; was: Json | undefined }>();
  return useDocument.subscribe((state, before) => {
    // Undo, redo and opening a flow create no new state.
    const isEdit = state.place === before.place && state.history.nextState > before.history.nextState;
    if (!isEdit || state.document.edges === before.document.edges || !mayDecide(state.document)) return;
    if (!addsWire(before.document, state.document)) return;
    stopAtExit(before.document, state, changed).catch(() => {
      // If the analysis fails, nothing changes here. The next one reports the problem.
    });
  });
}

/** Returns whether the flow has both a loop and a branching node. If not, no analysis is needed. */
function mayDecide(document: FlowDoc): boolean {
  const { byType } = useKinds.getState();
  const kinds = document.nodes.map(({ type }) => byType.get(type));
  return kinds.some((kind) => kind?.repeats === "loop") && kinds.some((kind) => kind?.shape === "branching");
}

/** Returns whether a wire is new or has a different end. */
function addsWire(before: FlowDoc, after: FlowDoc): boolean {
  const old = new Map(before.edges.map((edge) => [edge.id, edge]));
  return after.edges.some((edge) => {
    const was = old.get(edge.id);
    return was === undefined || (was !== edge && !sameEnds(was, edge));
  });
}

/** Returns the problems with this code that are new. A node whose id changed counts as the same node. */
function newly(code: string, now: Answer, before: Answer): Problem[] {
  const placeOf = ({ document }: Answer, id: string | null) => document.nodes.findIndex((n) => n.id === id);
  const had = ({ analysis: { problems } }: Answer) => problems.filter((problem) => problem.code === code);
  const known = had(before);
  return had(now).filter(
    ({ node }) =>
      node !== null &&
      !known.some((other) => other.node === node || placeOf(before, other.node) === placeOf(now, node)),
  );
}

type Answer = { readonly document: FlowDoc; readonly analysis: Analysis };

async function stopAtExit(
  before: FlowDoc,
  { document, history, path, place }: Shown,
  changed: Map<string, { place: number; was: Json | undefined }>,
): Promise<void> {
  const asked = async (flow: FlowDoc): Promise<Answer> => ({
    document: flow,
    analysis: await api().analyze(flow, path),
  });
  const now = await asked(document);
  const passed = loopsPassed(now);
  const speaks = now.analysis.problems.some(({ code }) => code === IGNORED || code === ALWAYS);
  if (!speaks && passed.length === 0) return;
  const old = await asked(before);
  const state = stateOf(history);
  const isHere = () => useDocument.getState().place === place;
  const ignored = newly(IGNORED, now, old).flatMap(({ node, fix }) => (node && fix ? [{ node, fix }] : []));
  if (ignored.length > 0 && isHere()) {
    const was = new Map(ignored.map(({ node }) => [node, exitSettingOf(document, node, ignored)]));
    const change = applyEdits(ignored.flatMap(({ fix }) => fix.edits));
    if (!put(state, change, ignored[0]?.fix.title ?? "")) return;
    for (const [node, value] of was) changed.set(node, { place, was: value });
    sayStops(
      now,
      ignored.map(({ node }) => node),
    );
    return;
  }
  // If all branches now lead to Exit, the condition that was set for the first branch is reset.
  const always = newly(ALWAYS, now, old).flatMap(({ node, place: field }) =>
    node && field && changed.get(node)?.place === place ? [{ node, field }] : [],
  );
  if (always.length > 0 && isHere()) {
    for (const { node, field } of always) {
      const back = setData(node, field, changed.get(node)?.was);
      changed.delete(node);
      if (put(stateOf(useDocument.getState().history), back, "Run all iterations"))
        useSession.getState().toast({
          title: `“${titleIn(document, node)}” runs all its iterations.`,
          detail: "Every branch now leads to Exit, so no branch decides when the loop ends.",
        });
    }
    return;
  }
  const passedBefore = new Set(loopsPassed(old).map(({ loop }) => loop));
  for (const one of passed) if (!passedBefore.has(one.loop) && isHere()) sayPasses(document, one);
}

/**
 * Returns the value that `document` has for the field set by the node's fix; undefined if the field is not
 * set or the node has no fix.
 */
function exitSettingOf(
  document: FlowDoc,
  node: string,
  ignored: readonly { node: string; fix: NonNullable<Problem["fix"]> }[],
): Json | undefined {
  const edits = ignored.find((one) => one.node === node)?.fix.edits ?? [];
  const edit = edits.find((one) => one.op === "set_data");
  return edit?.op === "set_data" ? document.nodes.find((n) => n.id === node)?.data[edit.field] : undefined;
}

/**
 * Merges the change into the edit that added the wire. If other edits followed, the change becomes a separate
 * edit; if the wire is gone, nothing happens. Returns whether the change was applied.
 */
function put(state: number, change: DocumentEdit, label: string): boolean {
  const { amend, edit, history } = useDocument.getState();
  if (amend(state, change)) return true;
  if (!history.done.some((entry) => entry.state === state)) return false;
  edit(change, { label });
  return true;
}

const quoted = (names: readonly string[]): string =>
  [...new Set(names)].map((name) => `“${name}”`).join(" or ");

/** Returns the branches that decide whether a loop ends. */
function branchesOf({ document, analysis }: Answer, loop: string): string[] {
  const region = analysis.regions.find(({ start }) => start === loop);
  const outputs = (id: string): readonly HandleInfo[] => analysis.nodes[id]?.outputs ?? [];
  if (!region) return [];
  const { byType } = useKinds.getState();
  const found = decidingBranches(document, region, byType, outputs, analysis.regions);
  return found.map(({ handle }) => handle);
}

function sayStops(now: Answer, loops: readonly string[]): void {
  const branches = quoted(loops.flatMap((loop) => branchesOf(now, loop)));
  const names = loops.map((loop) => `“${titleIn(now.document, loop)}”`).join(" and ");
  const state = stateOf(useDocument.getState().history);
  useSession.getState().toast({
    title: branches === "" ? "Stops at Exit." : `Stops when ${branches} is taken.`,
    detail: `This is now the exit condition of ${names}.`,
    actions: [
      {
        label: "Undo",
        run: () => {
          const { history, undo } = useDocument.getState();
          // Undo is offered only as long as it reverts this change and no later one.
          if (stateOf(history) === state) undo();
        },
      },
    ],
  });
}

type Passed = { readonly loop: string; readonly branches: readonly string[]; readonly by: ExitChoice };

/**
 * Returns the loops that do not end when a branch leads to their Exit, because the user chose another exit
 * condition.
 */
function loopsPassed(answer: Answer): Passed[] {
  const { document, analysis } = answer;
  return analysis.regions.flatMap(({ start, repeats }) => {
    const node = document.nodes.find(({ id }) => id === start);
    const exits = useKinds.getState().byType.get(node?.type ?? "")?.exits ?? [];
    const by = exits.find(({ value }) => value === node?.data.exitCondition);
    if (repeats !== "loop" || !by || by.reason === "max_iterations" || by.needs === "evaluator") return [];
    const branches = branchesOf(answer, start);
    return branches.length === 0 ? [] : [{ loop: start, branches, by }];
  });
}

/**
 * Explains that a branch does not end its loop, because the loop keeps the exit condition that the user
 * chose.
 */
function sayPasses(document: FlowDoc, { loop, branches, by }: Passed): void {
  useSession.getState().toast({
    title: `${quoted(branches)} does not stop “${titleIn(document, loop)}”.`,
    detail: `Its exit condition is ${by.title}.`,
  });
}
