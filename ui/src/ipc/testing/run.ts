// Runs of the double: recorded runs, replayed with new ids at the speed that a test or the user chooses.
import type {
  FlowDoc,
  Json,
  RunDetail,
  RunEvent,
  RunSummary,
  StepAnswer,
  StepDetail,
} from "../generated/bindings";
import type { RecordedRun } from "../generated/recorded/runs";
import * as recordings from "../generated/recorded/runs";
import { failure } from "./failures";

export interface PlayedRun {
  id: string;
  events: RunEvent[];
  stop(): void;
  summary(): RunSummary;
  detail(): RunDetail;
  step(path: string): StepDetail;
  /** The answers sent to the run's steps, in order. */
  readonly answers: { readonly path: string; readonly answer: StepAnswer }[];
  relabel(change: Partial<Pick<RunSummary, "name" | "starred">>): void;
}

/** Returns the recording of the flow with the same name, otherwise that of a flow with a loop. */
function recordingOf(document: FlowDoc): RecordedRun {
  const runs = [recordings.selfRefine, recordings.list, recordings.subflow, recordings.failed];
  return runs.find(({ detail }) => detail.summary.flow === document.name) ?? recordings.threeIterations;
}

let counter = 0;

export function playRun(
  document: FlowDoc,
  flowPath: string | null,
  inputs: Record<string, Json>,
  onEvent: (event: RunEvent) => void,
  stepMs: number,
): PlayedRun {
  const id = `run-${++counter}`;
  const recording = recordingOf(document);
  const events: RunEvent[] = [];
  let label: Pick<RunSummary, "name" | "starred"> = { name: null, starred: false };
  let stopped = false;
  const emit = (event: RunEvent) => {
    const played = { ...event, run_id: id, at: new Date().toISOString() };
    events.push(played);
    onEvent(played);
  };
  const startedAt = new Date().toISOString();
  const hasEnded = () => events.length >= recording.events.length;
  async function play() {
    for (const event of recording.events) {
      await new Promise<void>((resolve) => setTimeout(resolve, events.length === 0 ? 0 : stepMs));
      if (stopped) break;
      emit(event);
    }
    const end = recordings.stopped.events.at(-1);
    if (!hasEnded() && end) emit({ ...end, seq: events.length });
  }
  void play();

  const summary = (): RunSummary => {
    const { summary } = recording.detail;
    const now = { ...summary, ...label, runId: id, flow: document.name ?? summary.flow, flowPath, startedAt };
    if (hasEnded()) return now;
    const { status, exitReason } = recordings.stopped.detail.summary;
    return { ...now, durationMs: null, exitReason, status: stopped ? status : "running" };
  };
  return {
    id,
    events,
    answers: [],
    stop: () => {
      stopped = true;
    },
    relabel: (change) => {
      label = { ...label, ...change };
    },
    summary,
    detail: () => ({ ...recording.detail, summary: summary(), document, inputs }),
    step: (path) => {
      const found = recording.steps[path];
      if (!found) throw failure("noStep", path);
      return found;
    },
  };
}
