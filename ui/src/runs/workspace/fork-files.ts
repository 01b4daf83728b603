// Describes the files that a fork starts with. Pure.
import type { FlowDoc } from "../../ipc/generated/bindings";
import { hasWorkspace } from "./loop-workspace";

export type ForkFiles = {
  /** The path of the loop whose workspace is forked. */
  readonly loop: string;
  readonly words: string;
};

/** One part of a path: a node id, and the iteration number if the path continues inside an iteration. */
const SEGMENT = /^([^[]+)(?:\[(\d+)\])?$/;

/**
 * Describes the files that a fork at `at` starts with. `at` is an iteration such as `repair[2]`, or a step
 * such as `repair[2]/fix`. Null if no loop around this place has a workspace.
 */
export function forkFiles(document: FlowDoc, at: string): ForkFiles | null {
  const parts = at.split("/");
  for (const [i, part] of parts.entries()) {
    const [, id, iteration] = SEGMENT.exec(part) ?? [];
    if (id === undefined || iteration === undefined || !hasWorkspace(document, id)) continue;
    const loop = [...parts.slice(0, i), id].join("/");
    const isIteration = i === parts.length - 1;
    const number = Number(iteration);
    if (!isIteration) return { loop, words: "The fork starts with the files as they were before this step." };
    return {
      loop,
      words:
        number === 1
          ? "The fork starts with the files that the loop started with."
          : `The fork starts with the files after iteration ${number - 1}.`,
    };
  }
  return null;
}
