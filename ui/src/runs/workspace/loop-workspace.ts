// The workspaces of loops: what each iteration changed in the files. They are read again while the run is in
// progress.
import { useEffect } from "react";
import { create } from "zustand";
import { api, errorMessage } from "../../ipc/client";
import type { FlowDoc, IterationFiles, LoopWorkspace } from "../../ipc/generated/bindings";
import type { LoopRecord } from "../fold/model";

/**
 * The debounce delay before a workspace is read again, in milliseconds. Steps can follow each other quickly.
 */
const PAUSE_MS = 400;

type Known = {
  readonly workspace: LoopWorkspace | null;
  /** Why the workspace could not be read; null if it was read. */
  readonly problem: string | null;
  /** The value of `progressOf` when the workspace was read. */
  readonly progress: string;
};

type Workspaces = { readonly known: { readonly [key: string]: Known } };

export const useWorkspaces = create<Workspaces>()(() => ({ known: {} }));

const keyOf = (runId: string, path: string): string => `${runId}|${path}`;

/** Returns whether the settings of a node contain a workspace. */
export function hasWorkspace(document: FlowDoc | undefined, nodeId: string): boolean {
  const workspace = document?.nodes.find((node) => node.id === nodeId)?.data?.workspace;
  return typeof workspace === "object" && workspace !== null;
}

/** Returns a string that changes after each step that may have changed the files. */
export function progressOf(loop: LoopRecord): string {
  const last = loop.iterations.at(-1);
  const ended = last ? Object.values(last.scope.steps).filter((step) => step.endedAt !== null).length : 0;
  return [loop.iterations.length, last?.status ?? "", ended, loop.exitReason ?? ""].join("|");
}

/**
 * Returns the iterations of a new answer, preceded by the known ones before number `first`, which cannot
 * change any more.
 */
export function joined(
  before: readonly IterationFiles[],
  after: readonly IterationFiles[],
  first: number,
): IterationFiles[] {
  return [...before.filter(({ iteration }) => iteration < first), ...after];
}

/**
 * Reads a workspace, starting at the last known iteration. Earlier iterations have ended and cannot change.
 */
export async function readWorkspace(runId: string, path: string, progress: string): Promise<void> {
  const key = keyOf(runId, path);
  const before = useWorkspaces.getState().known[key];
  const known = before?.workspace?.problem === null ? before.workspace.iterations : [];
  const first = known.at(-1)?.iteration ?? 1;
  const keep = (found: Omit<Known, "progress">) =>
    useWorkspaces.setState((s) => ({ known: { ...s.known, [key]: { ...found, progress } } }));
  try {
    const found = await api().loopWorkspace(runId, path, first);
    const workspace = found && { ...found, iterations: joined(known, found.iterations, first) };
    keep({ workspace, problem: null });
  } catch (error) {
    keep({ workspace: before?.workspace ?? null, problem: errorMessage(error) });
  }
}

const NOTHING: Known = { workspace: null, problem: null, progress: "" };

/**
 * Returns the workspace of a loop. It is read when the loop is shown, and again while the run is in progress.
 */
export function useLoopWorkspace(
  runId: string,
  loop: LoopRecord | null,
  document: FlowDoc | undefined,
): Pick<Known, "workspace" | "problem"> & { isCurrent: boolean } {
  const asks = loop !== null && runId !== "" && hasWorkspace(document, loop.nodeId);
  const path = loop?.path ?? "";
  const known = useWorkspaces((s) => (asks ? s.known[keyOf(runId, path)] : undefined));
  const progress = asks ? progressOf(loop) : "";
  const isRead = known !== undefined;
  const isCurrent = known?.progress === progress;
  useEffect(() => {
    if (!asks || isCurrent) return;
    const timer = setTimeout(() => void readWorkspace(runId, path, progress), isRead ? PAUSE_MS : 0);
    return () => clearTimeout(timer);
  }, [asks, isCurrent, isRead, runId, path, progress]);
  return { ...(known ?? NOTHING), isCurrent };
}

/**
 * Returns the known changes of iterations, by iteration number. An iteration without changes is included only
 * if it was read after its end, since a step may change a file until then. `isCurrent` is true if the
 * workspace was read after the last step.
 */
export function knownFiles(
  workspace: LoopWorkspace | null,
  loop: LoopRecord,
  isCurrent: boolean,
): ReadonlyMap<number, IterationFiles> {
  const last = workspace?.iterations.at(-1);
  const known = new Map(workspace?.iterations.map((files) => [files.iteration, files]));
  if (last === undefined || last.filesChanged > 0) return known;
  const isRunning = loop.iterations.some((one) => one.number === last.iteration && one.status === "running");
  if (isRunning || !isCurrent) known.delete(last.iteration);
  return known;
}

/** Formats the changes of an iteration: "2 files +3 −1". */
export function filesWords({ filesChanged, insertions, deletions }: IterationFiles): string {
  if (filesChanged === 0) return "no file changed";
  return `${filesChanged.toLocaleString("en")} ${filesChanged === 1 ? "file" : "files"} +${insertions} −${deletions}`;
}
