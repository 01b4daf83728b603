// The root of a node's relative folder paths: the source of the workspace around the node, or the folder of
// the flow's file.
import type { FlowDoc, Json, Region } from "../ipc/generated/bindings";
import { folderOfFile, fromBase } from "../kernels/folder-paths";
import { useAnalysis } from "./analysis";
import { breadcrumbPath, type DocumentState, documentAt, outermost, useDocument } from "./document";

type Analyses = Pick<ReturnType<typeof useAnalysis.getState>, "analysis" | "whole">;

const sourceOf = (workspace: Json): string | null => {
  const source =
    typeof workspace === "object" && workspace !== null && "source" in workspace ? workspace.source : null;
  return typeof source === "string" && source.trim() !== "" ? source.trim() : null;
};

/**
 * Returns the workspace source of the first region that contains the node and has a workspace; null if there
 * is none.
 */
function sourceIn(document: FlowDoc | null, regions: readonly Region[], node: string): string | null {
  for (const region of regions) {
    if (!region.body.includes(node)) continue;
    const start = document?.nodes.find(({ id }) => id === region.start);
    const source = sourceOf(start?.data.workspace);
    if (source !== null) return source;
  }
  return null;
}

/**
 * Returns the source of the workspace in which a node of the shown flow works, as written in the loop's
 * settings; null without a workspace. Undefined if the source is unknown: of the flows around the shown one,
 * only the outermost is analysed.
 */
function workspaceSource(state: DocumentState, analyses: Analyses, node: string): string | null | undefined {
  const own = sourceIn(state.document, analyses.analysis.regions, node);
  const [first, ...between] = breadcrumbPath(state);
  if (own !== null || first === undefined) return own;
  const around = sourceIn(documentAt(state, []), analyses.whole.regions, first);
  return around ?? (between.length === 0 ? null : undefined);
}

/** Returns whether a node of the shown flow works in the workspace of a loop. */
export function useIsInWorkspace(node: string | null): boolean {
  const analysis = useAnalysis((s) => s.analysis);
  const whole = useAnalysis((s) => s.whole);
  return useDocument(
    (s) => node !== null && typeof workspaceSource(s, { analysis, whole }, node) === "string",
  );
}

/**
 * Returns the absolute path of the folder to which folder paths are relative, for a node of the shown flow
 * or, without a node, for the flow itself. Null if the folder is unknown, for example for a flow without a
 * file.
 */
export function relativeRoot(node: string | null): string | null {
  const state = useDocument.getState();
  const { path } = outermost(state);
  const folder = path === null ? null : folderOfFile(path);
  const source = node === null ? null : workspaceSource(state, useAnalysis.getState(), node);
  if (source === undefined) return null;
  return source === null ? folder : fromBase(folder, source);
}
