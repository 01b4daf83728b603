// The actions of an evaluation: run, stop, export, apply a limit, save a run as a test. Each of them tells
// the user its result.
import { fileName, outermost, useDocument } from "../../document/document";
import { setData } from "../../document/edits";
import { openPath } from "../../document/files";
import { api } from "../../ipc/client";
import type { CellResult, CellsToRun, ExperimentProgress } from "../../ipc/evaluation";
import { titleOf } from "../../kernels/node-title";
import { formatCount, formatUsd, plural } from "../../runs/words/format";
import { askQuestion } from "../../session/dialog";
import { useSession } from "../../session/session";
import { confirmTrust } from "../../trust/store";
import { openRun } from "../history/actions";
import { attempt, stemOf, toast } from "./attempt";
import { useEvaluation } from "./evaluation-store";
import { useExperiment } from "./experiment-store";

/**
 * Returns the initial progress of an experiment, before its first report, so that the progress bar appears
 * immediately.
 */
const beginning = (id: string, total: number, done = 0): ExperimentProgress => ({
  id,
  done,
  total,
  failed: 0,
  costUsd: 0,
  perSecond: 0,
  secondsLeft: null,
  finished: [],
  status: "running",
  scoring: 0,
});

const confirmRun = (title: string, detail: string) =>
  askQuestion({
    title,
    detail,
    choices: [
      { label: "Run", value: true, tone: "primary" as const },
      { label: "Cancel", value: false },
    ],
    cancel: false,
  });

async function confirmFlowTrust(): Promise<boolean> {
  const { flow, opened } = useEvaluation.getState();
  return flow === null || confirmTrust(flow, opened?.flowPath ?? null);
}

/** Starts a new experiment with all cases, after the user has confirmed its maximum cost. */
export async function runAll(): Promise<void> {
  // The last change may not have been checked yet, since the check waits for a pause in typing.
  if (!(await useEvaluation.getState().findProblems())) return;
  const { opened, evaluation, problems, showSettings } = useEvaluation.getState();
  if (opened === null || evaluation === null) return;
  if (problems.length > 0) {
    showSettings(true);
    toast({
      tone: "warn",
      title: `Fix ${plural(problems.length, "problem")} first`,
      detail: problems[0]?.message,
    });
    return;
  }
  const { set, follow } = useExperiment.getState();
  await attempt("The experiment did not start", async () => {
    const { runs, words } = await api().estimateEvaluation(opened.path, evaluation);
    if (!(await confirmRun(`Start ${plural(runs, "run")}?`, words)) || !(await confirmFlowTrust())) return;
    set({ progress: beginning("", runs) });
    try {
      const id = await api().startExperiment(opened.path, evaluation, follow);
      const { progress } = useExperiment.getState();
      if (progress?.id === "") set({ progress: beginning(id, runs) });
      useExperiment.setState({ list: await api().experiments(opened.path) });
      await useExperiment.getState().show(id);
    } catch (error) {
      set({ progress: null });
      throw error;
    }
  });
}

/** Runs cells of the shown experiment: the empty ones, the failed ones, or those of the selected cases. */
export async function runCells(cells: CellsToRun, count: number): Promise<void> {
  const { view, set, follow } = useExperiment.getState();
  if (view === null) return;
  const { id, path, total, done } = view.summary;
  await attempt("The cells did not run", async () => {
    const whole = await api().estimateEvaluation(path ?? "", view.evaluation);
    const usd = whole.maxUsd === null ? null : (whole.maxUsd / Math.max(1, whole.runs)) * count;
    const price =
      usd === null ? "Their maximum cost is not known." : `They can cost up to ${formatUsd(usd)}.`;
    if (!(await confirmRun(`Run ${plural(count, "cell")}?`, price)) || !(await confirmFlowTrust())) return;
    set({ progress: beginning(id, total, Math.max(0, done - (cells === "empty" ? 0 : count))) });
    try {
      await api().rerunCells(id, cells, follow);
    } catch (error) {
      set({ progress: null });
      throw error;
    }
  });
}

/** Runs the cells of the selected rows. */
export function runSelected(): Promise<void> {
  const { view, selected } = useExperiment.getState();
  if (view === null) return Promise.resolve();
  const variants = view.report.variants.length;
  const repetitions = view.evaluation.repetitions ?? 1;
  const cells = [...selected].flatMap((index) =>
    Array.from({ length: variants * repetitions }, (_, n) => ({
      case: index,
      variant: Math.floor(n / repetitions),
      repetition: n % repetitions,
    })),
  );
  return runCells(cells, cells.length);
}

export async function stopExperiment(): Promise<void> {
  const { progress, shown, set } = useExperiment.getState();
  const id = progress?.id ?? shown;
  if (id === null) return;
  await attempt("The experiment was not stopped", async () => {
    await api().stopExperiment(id);
    await useExperiment.getState().show(id);
    // The last report arrives only after the running runs have ended, so the progress bar is removed here.
    if (useExperiment.getState().view?.summary.status !== "running") set({ progress: null });
  });
}

export async function deleteExperiment(): Promise<void> {
  const { view, shown, load } = useExperiment.getState();
  if (shown === null || view === null) return;
  const isSure = await askQuestion({
    title: `Delete this experiment of “${view.summary.name}”?`,
    detail: "Its results and ratings are removed. Its runs stay in the history.",
    choices: [
      { label: "Delete", value: true, tone: "danger" as const },
      { label: "Cancel", value: false },
    ],
    cancel: false,
  });
  if (!isSure) return;
  await attempt("The experiment was not deleted", async () => {
    await api().deleteExperiment(shown);
    await load(useEvaluation.getState().opened?.path ?? null);
  });
}

export async function exportExperiment(ending: string): Promise<void> {
  const { view } = useExperiment.getState();
  if (view === null) return;
  await attempt("The experiment was not exported", async () => {
    const path = await api().pickExport(`${stemOf(view.summary.name)}.${ending}`);
    if (path === null) return;
    await api().exportExperiment(view.summary.id, path);
    // An Inspect log describes one variant, so several variants produce one file each.
    const variants = view.report.variants.length;
    const name = fileName(path, undefined);
    const detail =
      ending === "json" && variants > 1
        ? `Each variant has its own file: ${name.replace(/\.json$/, "")}-VARIANT.json.`
        : name;
    toast({ tone: "ok", title: "The experiment was exported", detail });
  });
}

/** Writes the bytes of a drawing to a file chosen by the user. */
export async function saveDrawing(name: string, svg: string): Promise<void> {
  await attempt("The image was not saved", async () => {
    const path = await api().pickExport(`${stemOf(name)}.svg`);
    if (path === null) return;
    await api().savePicture(path, [...new TextEncoder().encode(svg)]);
    toast({ tone: "ok", title: "The image was saved", detail: fileName(path, undefined) });
  });
}

/** Opens the run of a cell on the canvas, at the chosen iteration if there is one. */
export function openCell(result: CellResult): Promise<void> {
  const { iteration, view } = useExperiment.getState();
  const loop = view?.evaluation.perIteration ?? null;
  const last = result.iterationCount ?? 0;
  if (loop === null || iteration === null || last === 0) return openRun(result.runId);
  return openRun(result.runId, { nodeId: loop, loopId: loop, number: Math.min(iteration, last) });
}

/**
 * Sets the limit of a loop in the open document, as one undo step. If another flow is shown, opens the
 * evaluated one first.
 */
export async function applyCap(loop: string, cap: number): Promise<void> {
  const path = useEvaluation.getState().opened?.flowPath ?? null;
  const isOpen = () => {
    const state = useDocument.getState();
    return (path === null || outermost(state).path === path) && state.suspended === null;
  };
  if (!isOpen() && path !== null) {
    if (!(await openPath(path))) return;
    useDocument.getState().backToEditing();
    useSession.getState().show("evaluate");
  }
  const state = useDocument.getState();
  const node = state.document.nodes.find(({ id }) => id === loop);
  if (!isOpen() || node === undefined) {
    toast({
      tone: "error",
      title: "The cap was not applied",
      detail: `The open flow has no loop “${loop}”. Open the flow of this evaluation and try again.`,
    });
    return;
  }
  const title = titleOf(node);
  if (node.data.maxIterations === cap) {
    toast({ title: `“${title}” is already limited to ${plural(cap, "iteration")}` });
    return;
  }
  const before = node.data.maxIterations;
  state.edit(setData(loop, "maxIterations", cap), { label: `Apply cap ${cap}` });
  toast({
    tone: "ok",
    title: `“${title}” is now limited to ${plural(cap, "iteration")}`,
    detail: `${typeof before === "number" ? `The limit was ${formatCount(before)} before. ` : ""}Save the flow to keep the change.`,
    actions: [{ label: "Undo", run: () => void useDocument.getState().undo() }],
  });
}
