// The actions of a past run: open, resume, discard, run again, replay, export, import, delete. Each of them
// tells the user its result.
import { fileName } from "../../document/document";
import { api, errorMessage } from "../../ipc/client";
import type { FlowDoc, Json, RunSummary } from "../../ipc/generated/bindings";
import { iterationTarget, useFork } from "../../runs/session/fork";
import { startPrepared } from "../../runs/session/here";
import { prepareRunOf } from "../../runs/session/prepare";
import { sessionOf, useRuns } from "../../runs/session/store";
import { formatCount, plural } from "../../runs/words/format";
import { useChosenIteration } from "../../session/chosen-iteration";
import { askQuestion } from "../../session/dialog";
import { useSession } from "../../session/session";
import { showTabOfFile, showTabOfRun } from "../../tabs/run-tab";
import { confirmPrepared } from "../../trust/store";
import { neighbourOf, useHistory } from "./store";

/** Runs an action. If it fails, shows a message with the title `refused`. */
async function attempt(refused: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    useSession.getState().toast({ tone: "error", title: refused, detail: errorMessage(error) });
  }
}

/** The position to show first: a node in an iteration of a loop. */
export type At = { nodeId: string; loopId: string; number: number };

/** Opens a past run on the canvas, read-only, optionally at a node in an iteration. */
export function openRun(runId: string, at?: At): Promise<void> {
  return attempt("The run could not be opened", async () => {
    const session = useSession.getState();
    await showTabOfRun(runId);
    await useRuns.getState().open(runId);
    session.setLayout("run");
    session.select(at ? [at.nodeId] : []);
    if (at) useChosenIteration.getState().choose(at.loopId, at.number);
    session.show("editor");
  });
}

/** Shows a fork in the history, in comparison with its original run. */
export function compareWithOriginal(runId: string, originalId: string): void {
  const { showRun, compare } = useHistory.getState();
  showRun(runId);
  compare(originalId);
  useSession.getState().show("runs");
}

/**
 * Opens a past run together with the fork dialog, preset to the last iteration of the loop. The user can
 * choose another.
 */
export async function forkRun(runId: string, loopId: string): Promise<void> {
  await openRun(runId);
  const target = iterationTarget(loopId);
  if (target?.runId === runId) useFork.getState().open(target);
}

/** Resumes a run that was interrupted or paused. It is called only when the user asks for it. */
export function resumeRun(runId: string): Promise<void> {
  return attempt("The run was not resumed", async () => {
    const session = useSession.getState();
    await showTabOfRun(runId);
    session.setLayout("run");
    await useRuns.getState().resume(runId);
    session.dismissOffer(runId);
    session.select([]);
    session.show("editor");
  });
}

/** Marks an interrupted run as stopped. It is then no longer offered for resuming. */
export async function discardRun(run: RunSummary): Promise<void> {
  const answer = await askQuestion({
    title: `Leave “${run.flow}” unfinished?`,
    detail:
      "The run stays in the history as stopped, with everything that was saved, but it can no longer be resumed.",
    choices: [
      { label: "Discard", value: true, tone: "danger" },
      { label: "Cancel", value: false },
    ],
    cancel: false,
  });
  if (!answer) return;
  await attempt("The run was not discarded", async () => {
    await sessionOf(run.runId).stop(run.status);
    useSession.getState().dismissOffer(run.runId);
    await useHistory.getState().reload();
  });
}

/** Sets the run's name. An empty name removes it. */
export function renameRun({ runId, starred }: RunSummary, typed: string): Promise<void> {
  return attempt("The run was not renamed", async () => {
    // The store keeps a name in one line. The whitespace is normalised here in the same way, so that both
    // show the same name.
    const name = typed.split(/\s+/).filter(Boolean).join(" ");
    await api().renameRun(runId, name);
    useHistory.getState().relabel(runId, { name: name || null, starred });
  });
}

/** Sets or removes the run's star. */
export function starRun({ runId, name }: RunSummary, starred: boolean): Promise<void> {
  return attempt(starred ? "The run was not starred" : "The star was not removed", async () => {
    await api().starRun(runId, starred);
    const history = useHistory.getState();
    history.relabel(runId, { name, starred });
    if (history.filter.starred !== null) await history.reload();
  });
}

export async function deleteRun(run: Pick<RunSummary, "runId" | "flow">): Promise<void> {
  const answer = await askQuestion({
    title: `Delete this run of “${run.flow}”?`,
    detail:
      "Its iterations and outputs are permanently removed from the history. The workflow file is unchanged.",
    choices: [
      { label: "Delete", value: true, tone: "danger" },
      { label: "Cancel", value: false },
    ],
    cancel: false,
  });
  if (!answer) return;
  await attempt("The run was not deleted", async () => {
    await api().deleteRun(run.runId);
    const history = useHistory.getState();
    if (history.compared === run.runId) history.compare(null);
    if (history.selected === run.runId) history.select(neighbourOf(history.pages, run.runId));
    await history.reload();
  });
}

/** Runs the recorded flow again on this computer, with the same inputs. */
export function runAgain(runId: string): Promise<void> {
  return attempt("The run did not start", async () => {
    const { document, inputs, summary, pins, until } = await api().runDetail(runId);
    const prepared = await prepareRunOf(
      document as FlowDoc,
      summary.flowPath,
      inputs as Record<string, Json>,
      { pins, until },
    );
    if (!prepared.runnable)
      throw new Error(prepared.problems.find((one) => one.severity === "error")?.message);
    if (!(await confirmPrepared(prepared))) return;
    const session = useSession.getState();
    showTabOfFile(summary.flowPath);
    session.setLayout("run");
    await useRuns.getState().begin(summary.flowPath, startPrepared(prepared.id));
    session.select([]);
    session.show("editor");
  });
}

/** Replays the run from its journal, without network or keys, and reports whether the result is the same. */
export function verifyRun(runId: string): Promise<void> {
  return attempt("The run could not be replayed", async () => {
    const begin = performance.now();
    const { events, records } = await api().replayRun(runId, () => {});
    useSession.getState().toast({
      tone: "ok",
      title: "Replayed: every value is the same",
      detail: `${plural(events, "event")} and ${formatCount(records - events)} other records match. The replay took ${Math.round(performance.now() - begin)} ms and used no network or keys.`,
    });
  });
}

/** Returns the file name of an exported run: "self-refine 2026-03-01 1340.run.json". */
export function exportName(run: Pick<RunSummary, "flow" | "startedAt">): string {
  const name = run.flow
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  const day = run.startedAt.slice(0, 10);
  const time = run.startedAt.slice(11, 16).replace(":", "");
  return `${name || "run"} ${day} ${time}.run.json`;
}

export function exportRun(run: Pick<RunSummary, "runId" | "flow" | "startedAt">): Promise<void> {
  return attempt("The run was not exported", async () => {
    const path = await api().pickRunExport(exportName(run));
    if (path === null) return;
    await api().exportRun(run.runId, path);
    useSession.getState().toast({
      tone: "ok",
      title: "The run was exported",
      detail: `“${fileName(path, undefined)}” contains the flow, its inputs and every recorded step. It contains no keys.`,
    });
  });
}

export function importRun(): Promise<void> {
  return attempt("No run was imported", async () => {
    const path = await api().pickRun();
    if (path === null) return;
    const { runId, flow, renamed } = await api().importRun(path);
    useHistory.getState().showRun(runId);
    await useHistory.getState().reload();
    useSession.getState().toast({
      tone: "ok",
      title: `A run of “${flow}” was imported`,
      detail: renamed ? "Its id was already in use, so the imported run has a new id." : undefined,
    });
  });
}
