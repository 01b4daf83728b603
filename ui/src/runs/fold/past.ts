// Reads a finished run. A short run is read completely. A long run is read without the contents of its
// iterations; those are read when someone views an iteration.
import { api } from "../../ipc/client";
import type { IterationInfo, RunDetail, RunEvent } from "../../ipc/generated/bindings";
import type { Iteration, LoopRecord, RunState, Scope, Step } from "./model";
import { parsePath, type Segment } from "./path";
import { endedAs, foldAll } from "./reduce";

/** A run with fewer iterations than this, summed over its outer loops, is read completely in one request. */
export const READ_WHOLE = 40;
/** The number of iterations per request, which is the maximum the store returns. */
const PAGE = 500;
/**
 * The number of iterations read on each side of the shown one. This is the range that the timeline draws.
 * Near either end of the loop, the range is shifted, not shortened.
 */
const NEAR = 20;

const EMPTY: Scope = { steps: {} };

/**
 * Returns the loops of a run that are not inside an iteration, with their paths: `refine`, `polish/check`.
 */
export function outerLoops(state: RunState): LoopRecord[] {
  const found: LoopRecord[] = [];
  const look = (scope: Scope) => {
    for (const step of Object.values(scope.steps)) {
      if (step.loop !== null) found.push(step.loop);
      if (step.inner !== null) look(step.inner);
    }
  };
  look(state.root);
  return found;
}

/** Reads a stored run and its detail. */
export async function readRun(runId: string): Promise<{ detail: RunDetail; state: RunState }> {
  // The two requests run in parallel, since each takes a round trip to the store.
  const outline = api().runOutline(runId);
  // If reading the detail fails too, its error is the one shown.
  outline.catch(() => undefined);
  const detail = await api().runDetail(runId);
  return { detail, state: await readPast(runId, detail.summary.status, outline) };
}

/** Reads a stored run, without the contents of the iterations of its long loops. */
export async function readPast(
  runId: string,
  status: RunState["status"],
  outlined: Promise<readonly RunEvent[]> = api().runOutline(runId),
): Promise<RunState> {
  const events = await outlined;
  const outline = foldAll(runId, events);
  const loops = outerLoops(outline);
  if (!isLong(loops) || !areAll(loops, events)) {
    return endedAs(foldAll(runId, await api().runEvents(runId)), status);
  }
  let state = outline;
  const results = await Promise.all(loops.map((loop) => readResults(runId, loop)));
  for (const [i, loop] of loops.entries()) state = withResults(state, loop.path, results[i] ?? []);
  return endedAs(state, status);
}

/**
 * Returns whether the loops together have at least `READ_WHOLE` iterations. False if a loop was cut off,
 * because its number of iterations is then unknown.
 */
function isLong(loops: readonly LoopRecord[]): boolean {
  if (loops.some((loop) => loop.iterationsRun === null)) return false;
  return loops.reduce((sum, loop) => sum + (loop.iterationsRun ?? 0), 0) >= READ_WHOLE;
}

/**
 * Returns whether `loops` contains every loop and iterator of the run that has iterations. An iterator is
 * recognised only by its end event, so it may be missing; the run is then read completely.
 */
function areAll(loops: readonly LoopRecord[], events: readonly RunEvent[]): boolean {
  const known = new Set(loops.map((loop) => loop.path));
  return events.every((e) => !("iterations_run" in e) || e.iterations_run == null || known.has(e.path));
}

/**
 * Returns the iterations of a finished loop. All pages are read in parallel, since the number of iterations
 * is known.
 */
async function readResults(runId: string, loop: LoopRecord): Promise<IterationInfo[]> {
  const count = Math.max(1, Math.ceil((loop.iterationsRun ?? 0) / PAGE));
  const pages = await Promise.all(
    Array.from({ length: count }, (_, i) => api().runIterations(runId, loop.path, i * PAGE, PAGE)),
  );
  const results = pages.flatMap((page) => page.iterations);
  const total = pages[0]?.total ?? 0;
  while (results.length < total) {
    const { iterations } = await api().runIterations(runId, loop.path, results.length, PAGE);
    if (iterations.length === 0) break;
    results.push(...iterations);
  }
  return results;
}

/** Returns the state with these iterations of a loop, each without its steps. */
function withResults(state: RunState, path: string, results: readonly IterationInfo[]): RunState {
  return atLoop(state, path, (loop, step) => {
    let at = step.startedAt ?? state.startedAt;
    const iterations = results.map((result): Iteration => {
      const startedAt = at;
      at += result.durationMs;
      return {
        number: result.index + 1,
        status: result.status === "completed" || result.status === "cancelled" ? result.status : "failed",
        startedAt,
        endedAt: at,
        durationMs: result.durationMs,
        usage: result.usage,
        similarity: result.similarity,
        conditionResult: result.conditionResult,
        score: result.score,
        inputPreview: "",
        resultPreview: result.resultPreview,
        reachedExit: result.reachedExit,
        scope: EMPTY,
        unread: true,
      };
    });
    return { ...loop, iterations, current: iterations.length };
  });
}

/**
 * Returns the spans of iterations to read in order to show iteration `number`, as indexes from 0: the
 * iteration, its neighbours, and the first. If `all` is set, the neighbours are included even when the
 * iteration and its direct neighbours are loaded.
 */
export function unreadAround(
  loop: LoopRecord,
  number: number,
  all = false,
): [first: number, count: number][] {
  const isUnread = (i: number) => loop.iterations[i]?.unread === true;
  const count = loop.iterations.length;
  const from = Math.max(0, Math.min(number - 1 - NEAR, count - 2 * NEAR));
  const to = Math.min(count, Math.max(number + NEAR, 2 * NEAR));
  const spans: [number, number][] = [];
  for (let i = from; i < to; i += 1) {
    if (!isUnread(i)) continue;
    const last = spans.at(-1);
    if (last && last[0] + last[1] === i) last[1] += 1;
    else spans.push([i, 1]);
  }
  // A span is read only if the shown iteration or a direct neighbour is missing. Otherwise moving by one
  // would trigger a request each time.
  if (!all && ![number - 2, number - 1, number].some(isUnread)) return [];
  if (isUnread(0) && !spans.some(([first]) => first === 0)) spans.push([0, 1]);
  return spans;
}

/**
 * Returns the state with the contents of iterations that it lacked. `events` are the events of complete
 * iterations of the loop at `path`.
 */
export function graftEvents(state: RunState, path: string, events: readonly RunEvent[]): RunState {
  if (events.length === 0) return state;
  const read = foldAll(state.runId, events);
  const known = loopAt(read, path);
  if (known === null) return state;
  const grafted = atLoop(state, path, (loop) => ({
    ...loop,
    iterations: loop.iterations.map((iteration) => {
      const found = known.iterations[iteration.number - 1];
      if (!iteration.unread || found === undefined || found.scope === EMPTY) return iteration;
      if (Object.keys(found.scope.steps).length === 0) return iteration;
      const { unread: _, ...rest } = iteration;
      return {
        ...rest,
        scope: found.scope,
        inputPreview: found.inputPreview,
        startedAt: firstStart(found.scope) ?? iteration.startedAt,
      };
    }),
  }));
  const merged = { ...read.within };
  for (const [key, level] of Object.entries(state.within)) {
    merged[key] = {
      chains: { ...merged[key]?.chains, ...level.chains },
      loopIds: [...new Set([...level.loopIds, ...(merged[key]?.loopIds ?? [])])],
    };
  }
  return {
    ...grafted,
    chains: { ...read.chains, ...state.chains },
    loopIds: [...new Set([...state.loopIds, ...read.loopIds])],
    within: merged,
    log: [...state.log, ...read.log].sort((a, b) => a.seq - b.seq),
  };
}

function firstStart(scope: Scope): number | null {
  const starts = Object.values(scope.steps).flatMap((step) => step.startedAt ?? []);
  return starts.length === 0 ? null : Math.min(...starts);
}

export function loopAt(state: RunState, path: string): LoopRecord | null {
  let scope: Scope | null = state.root;
  let step: Step | undefined;
  for (const segment of parsePath(path)) {
    step = scope?.steps[segment.id];
    scope = step?.inner ?? null;
  }
  return step?.loop ?? null;
}

/**
 * Returns the state with one loop changed. The loop must not be inside an iteration; otherwise the state is
 * unchanged.
 */
export function atLoop(
  state: RunState,
  path: string,
  change: (loop: LoopRecord, step: Step) => LoopRecord,
): RunState {
  const within = (scope: Scope, segments: readonly Segment[]): Scope => {
    const [segment, ...rest] = segments;
    const step = segment && scope.steps[segment.id];
    if (!segment || !step) return scope;
    const changed: Step =
      rest.length > 0
        ? { ...step, inner: step.inner && within(step.inner, rest) }
        : { ...step, loop: step.loop && change(step.loop, step) };
    return { steps: { ...scope.steps, [segment.id]: changed } };
  };
  return { ...state, root: within(state.root, parsePath(path)) };
}
