// The one place that decides whether a run is on this computer or in a shared store. The id of a run in a
// store starts with the store's name and a `/`: `work/0192…` is in `work`.
import { sessionByWorkers } from "./by-workers";
import { sessionHere } from "./here";
import type { RunSession } from "./run-session";
import type { RunSink } from "./sink";

export function sessionFor(runId: string, sink: RunSink): RunSession {
  const end = runId.indexOf("/");
  return end < 0 ? sessionHere(runId, sink) : sessionByWorkers(runId, runId.slice(0, end), sink);
}
