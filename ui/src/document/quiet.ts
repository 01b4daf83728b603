// What is not filled in yet is no alarm: a node that was just added is said to need something in grey, until somebody asks for the
// problems by Validate, Run or F8. Files that are opened show theirs at once.
import { create } from "zustand";
import type { Problem } from "../ipc/generated/bindings";
import { useSession } from "../session/session";
import { useDocument } from "./document";

/** The codes of what a node lacks, rather than of what is wrong. */
const LACKS = /^(?:missing_(?!id$)|nothing_wired$|no_output$|empty_region$)/;

export interface CheckedNodes {
  /** Nodes that were there when the problems were asked for last. */
  readonly nodes: ReadonlySet<string>;
  /** Whether what the whole workflow lacks was asked for. */
  readonly whole: boolean;
}

const NOTHING: CheckedNodes = { nodes: new Set(), whole: false };

export const useAsked = create<CheckedNodes>()(() => NOTHING);

function askAll(): void {
  const { nodes } = useDocument.getState().document;
  useAsked.setState({ nodes: new Set(nodes.map((node) => node.id)), whole: true });
}

/** Whether a problem is only that something was not filled in yet, of which nobody asked. */
export function isQuiet(
  { code, node }: Pick<Problem, "code" | "node">,
  { nodes, whole }: CheckedNodes,
): boolean {
  if (!LACKS.test(code)) return false;
  return node === null ? !whole : !nodes.has(node.split("/")[0] ?? node);
}

export const loudOnes = (problems: readonly Problem[], asked: CheckedNodes): Problem[] =>
  problems.filter((problem) => !isQuiet(problem, asked));

/** The class of what shows a node with these problems that are not quiet: by the gravest. */
export function severityClass(loud: readonly Problem[]): "has-error" | "has-warning" | "" {
  if (loud.some(({ severity }) => severity === "error")) return "has-error";
  return loud.length > 0 ? "has-warning" : "";
}

export function useQuiet(): (problem: Pick<Problem, "code" | "node">) => boolean {
  const asked = useAsked();
  return (problem) => isQuiet(problem, asked);
}

// A file has what it has; what is new is filled in first.
useDocument.subscribe((state, before) => {
  if (state.place === before.place) return;
  if (state.path === null) useAsked.setState(NOTHING);
  else askAll();
});

useSession.subscribe((state, before) => {
  const shows = (s: typeof state) => s.dockOpen && s.dockCollapsed !== true && s.dockTab === "problems";
  if (shows(state) && !shows(before)) askAll();
});
