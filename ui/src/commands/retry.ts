// Reruns a failed step, or continues a stopped run. Each starts a new run that reuses everything recorded
// before that place. The original run is unchanged.
import { api, errorMessage } from "../ipc/client";
import type { Json } from "../ipc/generated/bindings";
import type { RunView } from "../runs/fold/model";
import { useProviders } from "../runs/inputs/providers";
import { type ForkTarget, forkAndShow, nodeTarget } from "../runs/session/fork";
import { stoppedPath } from "../runs/session/stopped";
import { shownRun, useRuns } from "../runs/session/store";
import { useSession } from "../session/session";
import { NotAllowed } from "../trust/store";
import { confirmCost } from "./run";

/**
 * Returns whether the rest of the run may start. If its maximum cost exceeds the confirmation amount in
 * Settings, asks the user, as before any run.
 */
async function mayCost(
  { runId, document, flowPath }: Pick<ForkTarget, "runId" | "document" | "flowPath">,
  at: string,
  inputs: Json,
): Promise<boolean> {
  if (useProviders.getState().settings?.askAboveUsd == null) return true;
  const values = typeof inputs === "object" && inputs !== null ? (inputs as Record<string, Json>) : {};
  const [most, place] = await Promise.all([
    api().estimate(document, flowPath, values),
    api().forkPlace(runId, at),
  ]);
  return confirmCost(most.maxUsd === null ? null : Math.max(0, most.maxUsd - (place.kept.cost_usd ?? 0)));
}

async function forkAt(
  target: Pick<ForkTarget, "runId" | "document" | "flowPath">,
  at: string,
  view: RunView,
): Promise<void> {
  if (useRuns.getState().starting) return;
  try {
    if (!(await mayCost(target, at, view.state.inputs))) return;
    await forkAndShow(target, at, {});
    useSession.getState().show("editor");
  } catch (error) {
    // The user refused, so no message is needed.
    if (error instanceof NotAllowed) return;
    useSession
      .getState()
      .toast({ tone: "error", title: "The run did not start", detail: errorMessage(error) });
  }
}

/** Reruns a failed node, at its shown iteration, and everything that depends on it. */
export async function retryNode(nodeId: string): Promise<void> {
  const target = nodeTarget(nodeId);
  const view = shownRun(useRuns.getState());
  if (target?.step == null || view === null) return;
  useSession.getState().select([nodeId]);
  await forkAt(target, target.step.path, view);
}

/** Continues the shown run from the point at which it was stopped. */
export async function continueStopped(): Promise<void> {
  const view = shownRun(useRuns.getState());
  const at = view && stoppedPath(view.state);
  if (view === null || at === null) return;
  const { state, document, flowPath } = view;
  await forkAt({ runId: state.runId, document, flowPath }, at, view);
}
