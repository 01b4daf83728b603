// The workspaces of the double: the workspace of the recorded run that repairs a private copy of a
// repository.
import type { Backend } from "../client";
import { ApiFailure } from "../client";
import {
  appliedAsBranch,
  appliedToFiles,
  changes,
  plan,
  repairs,
  rows,
  texts,
  workspace,
} from "../generated/recorded/workspace";

type WorkspaceCommands = Pick<
  Backend,
  | "loopWorkspace"
  | "workspaceChanges"
  | "workspaceTexts"
  | "planApply"
  | "applyIteration"
  | "workspaces"
  | "openWorkspaceFolder"
  | "removeWorkspace"
>;

/** The id of the recorded run. */
export const repairsId = repairs.detail.summary.runId;

function recorded<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new Error(`${what} is not recorded.`);
  return structuredClone(found);
}

export function testWorkspaces(): WorkspaceCommands {
  let there = [...rows];
  const isApplied = { now: false };
  return {
    loopWorkspace: async (runId, path, first) => {
      if (runId !== repairsId || path !== workspace.path) return null;
      const iterations = workspace.iterations.filter(({ iteration }) => iteration >= first);
      return { ...workspace, iterations, appliedAt: isApplied.now ? workspace.madeAt : null };
    },
    workspaceChanges: async (_, __, from, to) =>
      from === to
        ? { files: [], total: 0, insertions: 0, deletions: 0, tests: null }
        : recorded(changes[`${from} ${to}`], `The comparison of ${from} and ${to}`),
    workspaceTexts: async (_, __, before, after) =>
      recorded(texts[`${before?.hash ?? ""} ${after?.hash ?? ""}`], "This file"),
    planApply: async () => structuredClone(plan),
    applyIteration: async (_, __, ___, how) => {
      isApplied.now = true;
      return structuredClone(how.kind === "branch" ? appliedAsBranch : appliedToFiles);
    },
    workspaces: async () => structuredClone(there),
    openWorkspaceFolder: async () => undefined,
    removeWorkspace: async (id) => {
      if (!there.some((row) => row.id === id))
        throw new ApiFailure({ code: "not_found", message: `There is no workspace ${id}.`, path: null });
      there = there.filter((row) => row.id !== id);
    },
  };
}
