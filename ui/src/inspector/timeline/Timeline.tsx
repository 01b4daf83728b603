// The timeline, for scrubbing through the iterations of a loop: segments, bars on one time scale, similarity,
// and exit conditions.

import { type PointerEvent as ReactPointerEvent, useEffect, useMemo, useRef } from "react";
import { classes } from "../../components/classes";
import heatStyles from "../../components/Heat.module.css";
import { Icon } from "../../components/Icon";
import marksStyles from "../../components/Marks.module.css";
import noteStyles from "../../components/Note.module.css";
import { reasonLook } from "../../components/reason";
import { tip } from "../../components/tip";
import { useKind } from "../../document/kinds";
import type { IterationFiles, RunStatus, TestChanges } from "../../ipc/generated/bindings";
import { titleIn } from "../../kernels/node-title";
import { usePastExit } from "../../node-ui/loop/past-exit";
import { failuresOf } from "../../runs/fold/checks";
import {
  bareModel,
  type IterationContext,
  type LoopContext,
  loopContext,
  modelsOf,
  promptsOf,
  promptWords,
  shortTokens,
  tooLongWords,
} from "../../runs/fold/context";
import type { LoopRecord } from "../../runs/fold/model";
import { useContextWindows } from "../../runs/inputs/context-windows";
import { chooseLoopIteration, pickLoop, stepIteration, useTimelineLoop } from "../../runs/view/cursor";
import { useChoice, useIsRunning, useLoopRecord, useRunNow, useTimelineRun } from "../../runs/view/shown";
import { shownIteration } from "../../runs/view/view";
import {
  cutOffWords,
  exitWords,
  formatCost,
  formatDuration,
  formatUsd,
  plural,
} from "../../runs/words/format";
import { heatOf } from "../../runs/words/heat-scale";
import { filesWords, hasWorkspace, knownFiles, useLoopWorkspace } from "../../runs/workspace/loop-workspace";
import { testTip, testWords } from "../../runs/workspace/test-words";
import { useChosenIteration } from "../../session/chosen-iteration";
import { useSelectedNodeId } from "../../session/session";
import { testIds } from "../../testids";
import { fieldsOf, withDefaults } from "../form/schema";
import { round } from "../run/StatGrid";
import { ExitWatch } from "./ExitWatch";
import { useExitRule } from "./exit-rule";
import {
  type Average,
  layoutTimeline,
  type Segment,
  similarityFloor,
  similarityY,
  type TimelineLayout,
  visibleSpan,
} from "./layout";
import similarityStyles from "./Similarity.module.css";
import styles from "./Timeline.module.css";
import { useLoopSimilarities, withLive } from "./use-similarities";

export function useTimelineLoopId(): string | null {
  const selected = useSelectedNodeId();
  const picked = useTimelineLoop((s) => s.picked);
  const run = useTimelineRun()?.state;
  return run ? pickLoop(run.loopIds, run.chains, picked, selected) : null;
}

export function Timeline() {
  const loopId = useTimelineLoopId();
  const loop = useLoopRecord(loopId);
  const view = useTimelineRun();
  useTimelineLoopInView(view?.state.runId, loop?.path);
  if (view === null)
    return <p className={noteStyles.note}>Iterations appear here when a workflow with a loop runs.</p>;
  if (loop === null) {
    return (
      <p className={noteStyles.note}>
        {view.state.loopIds.length === 0 && view.state.status !== "running"
          ? "This run has no loop."
          : "Waiting for the loop to start."}
      </p>
    );
  }
  return <LoopTimeline loop={loop} />;
}

/** Reports which loop is drawn, so that the iterations of that loop are loaded and stay loaded. */
function useTimelineLoopInView(runId: string | undefined, path: string | undefined): void {
  useEffect(() => {
    if (!runId || !path) return;
    const { setTimelineLoop } = useChosenIteration.getState();
    setTimelineLoop({ runId, path });
    return () => setTimelineLoop(null);
  }, [runId, path]);
}

/**
 * Returns the height of a row in pixels. If there are many rows, each is lower, which leaves space for the
 * similarity chart.
 */
const rowHeight = (rows: number): number => (rows <= 3 ? 21 : rows <= 5 ? 16 : 13);

/** The heights of the head of an iteration, and of the rows with changed files, changed tests and context, in pixels. */
const HEAD_ROW = 50;
const FILES_ROW = 20;

/** The changes that iterations made to files, by the number of the iteration. */
type Files = ReadonlyMap<number, IterationFiles>;

function LoopTimeline({ loop }: { loop: LoopRecord }) {
  const view = useTimelineRun();
  const choice = useChoice();
  const running = useIsRunning();
  const open = running && loop.exitReason === null;
  const now = useRunNow("timeline", open);
  const shown = shownIteration(loop, choice)?.number ?? 1;
  const node = view?.document.nodes.find((n) => n.id === loop.nodeId);
  const kind = useKind(node?.type ?? "");
  const data = useMemo(() => withDefaults(node?.data ?? {}, fieldsOf(kind?.schema)), [node, kind]);
  const exits = kind?.exits ?? [];
  const asked = exits.some((e) => e.value === data.exitCondition && e.reason === "stable_output");
  const rule = useExitRule(loop.nodeId, view?.document);
  const { first, length } = visibleSpan(loop, open, shown);
  const runId = view?.state.runId ?? "";
  const finished = useLoopSimilarities(runId, loop, view?.document, first, first + length - 1);
  const estimates = useMemo(() => withLive(finished, loop.iterations), [finished, loop]);
  const layout = useMemo(
    () => layoutTimeline(loop, now, open, shown, estimates),
    [loop, now, open, shown, estimates],
  );
  const { workspace, isCurrent } = useLoopWorkspace(runId, loop, view?.document);
  const files = useMemo(() => knownFiles(workspace, loop, isCurrent), [workspace, loop, isCurrent]);
  const hasFiles = hasWorkspace(view?.document, loop.nodeId);
  const row = rowHeight(layout.rows.length);
  // The row for changed tests exists only if an iteration changed tests.
  const hasTests = hasFiles && [...files.values()].some(({ tests }) => tests !== null);
  const context = useLoopContext(runId, loop, view?.state.status, kind?.repeats === "each");
  // The row for the context exists only if an iteration has a prompt of known size.
  const hasContext = context.iterations.length > 0;
  const heads = [HEAD_ROW, ...[hasFiles, hasTests, hasContext].flatMap((has) => (has ? [FILES_ROW] : []))];
  const rows = `${heads.map((height) => `${height}px`).join(" ")} repeat(${layout.rows.length}, ${row}px) minmax(52px, 1fr)`;
  const label = (id: string) => (view ? titleIn(view.document, id) : id);
  const threshold = typeof data.stabilityThreshold === "number" ? data.stabilityThreshold : 1;
  const hasSimilarity = layout.points.length > 0;
  return (
    <div className={styles.timeline}>
      <div className={styles.labels} style={{ gridTemplateRows: rows }}>
        <span className="text-tertiary">Iteration</span>
        {hasFiles && <span>Changed files</span>}
        {hasTests && <span>Tests changed</span>}
        {hasContext && (
          <span {...tip("The longest prompt of each iteration, compared with the model's context window")}>
            Context
          </span>
        )}
        {layout.rows.map((id) => (
          <span key={id} {...tip(label(id))}>
            <i>{label(id)}</i>
          </span>
        ))}
        {hasSimilarity && (
          <span className={styles.similarity}>
            Similarity<small>to previous</small>
          </span>
        )}
      </div>
      <Track
        loop={loop}
        layout={layout}
        rows={rows}
        shown={shown}
        open={open}
        files={hasFiles ? files : null}
        hasTests={hasTests}
        context={hasContext ? context : null}
        label={label}
      >
        {hasSimilarity && (
          <Similarity
            layout={layout}
            top={heads.reduce((sum, height) => sum + height) + layout.rows.length * row}
            threshold={threshold}
            asked={asked}
          />
        )}
      </Track>
      <ExitWatch
        loop={loop}
        open={open}
        data={data}
        now={now}
        similarity={layout.points.at(-1)?.value ?? null}
        rule={rule}
        exits={exits}
        each={kind?.repeats === "each"}
        warning={context.tooLong === null ? null : tooLongWords(context.tooLong)}
      />
    </div>
  );
}

/** Returns how full the context of the models in a loop is. `each`: the loop iterates over the items of a list. */
function useLoopContext(
  runId: string,
  loop: LoopRecord,
  status: RunStatus | undefined,
  each: boolean,
): LoopContext {
  const mayContinue = status === "running" || status === "paused" || status === "waiting";
  const open = mayContinue && loop.exitReason === null && !each;
  const prompts = useMemo(() => promptsOf(loop, open), [loop, open]);
  const windowOf = useContextWindows(runId, modelsOf(prompts));
  return loopContext(prompts, windowOf);
}

/** Shows why the loop ended, after its last iteration. */
function TimelineEnd({ loop }: { loop: LoopRecord }) {
  const status = useTimelineRun()?.state.status;
  const past = usePastExit(loop.nodeId);
  const { exitReason } = loop;
  if (exitReason === null) return null;
  const { title, meaning, tone } = exitWords({ ...loop, exitReason }, status, past);
  return (
    <div className={styles.end} data-tone={tone} data-testid="timeline-end" data-exhausted={loop.exhausted}>
      <span className={reasonLook(tone)}>{title}</span>
      <span>
        {loop.exhausted && <b>Exhausted. </b>}
        {meaning}
      </span>
    </div>
  );
}

/** Changes the chosen iteration by key. Returns whether the key was handled. */
function onTrackKey(key: string, loopId: string): boolean {
  if (key === "ArrowLeft") stepIteration(loopId, -1);
  else if (key === "ArrowRight") stepIteration(loopId, 1);
  else if (key === "Home") chooseLoopIteration(loopId, 1);
  else if (key === "End") chooseLoopIteration(loopId, "live");
  else return false;
  return true;
}

/** Focuses the chosen iteration in the timeline inside `around`. */
export function focusChosen(around: ParentNode | null): void {
  around
    ?.querySelector<HTMLElement>('[role="listbox"][aria-label="Iterations"] > [aria-selected="true"]')
    ?.focus();
}

type TrackProps = {
  loop: LoopRecord;
  layout: TimelineLayout;
  rows: string;
  shown: number;
  open: boolean;
  /** The changes that the iterations made to files; null if the loop has no workspace. */
  files: Files | null;
  hasTests: boolean;
  /** How full the context is; null if there is no row for it. */
  context: LoopContext | null;
  /** Returns the title of a node. */
  label: (id: string) => string;
  children: React.ReactNode;
};

function Track(props: TrackProps) {
  const { loop, layout, rows, shown, open, files, hasTests, context, label, children } = props;
  const track = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen segment is found in the rendered track.
  useEffect(() => {
    const chosen = track.current?.querySelector('[aria-selected="true"]');
    chosen?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }, [shown, loop.nodeId]);
  const times = layout.segments.flatMap((s) => s.elapsedMs ?? []);
  // The fastest time is that of a finished iteration; a running one does not count.
  const ended = layout.segments.flatMap((s) =>
    s.iteration?.status === "running" ? [] : (s.elapsedMs ?? []),
  );
  const [quickest, slowest] = [Math.min(...ended), Math.max(0, ...times)];
  const scrub = (e: ReactPointerEvent) => {
    const box = track.current?.getBoundingClientRect();
    if (!box || box.width === 0) return;
    const at = Math.floor(((e.clientX - box.left) / box.width) * layout.segments.length);
    const segment = layout.segments[Math.max(0, Math.min(layout.segments.length - 1, at))];
    if (segment?.iteration && segment.number !== shown) chooseLoopIteration(loop.nodeId, segment.number);
  };
  return (
    <div className={styles.scroll}>
      <div
        ref={track}
        className={styles.track}
        style={{
          gridTemplateColumns: `repeat(${layout.segments.length}, minmax(84px, 1fr))`,
          minWidth: layout.segments.length * 84,
        }}
        role="listbox"
        tabIndex={-1}
        aria-label="Iterations"
        aria-orientation="horizontal"
        onPointerDown={(e) => {
          if (e.button !== 0) return;
          e.currentTarget.setPointerCapture(e.pointerId);
          scrub(e);
        }}
        onPointerMove={(e) => {
          if (e.buttons === 1 && e.currentTarget.hasPointerCapture(e.pointerId)) scrub(e);
        }}
        onKeyDown={(e) => {
          if (!onTrackKey(e.key, loop.nodeId)) return;
          e.preventDefault();
          requestAnimationFrame(() => focusChosen(track.current));
        }}
      >
        {layout.segments.map((segment) => (
          <SegmentView
            key={segment.number}
            segment={segment}
            rows={rows}
            rowIds={layout.rows}
            picked={segment.number === shown}
            live={open && segment.iteration?.status === "running"}
            average={layout.average}
            files={files === null ? undefined : (files.get(segment.number) ?? null)}
            hasTests={hasTests}
            context={context === null ? undefined : contextOf(context, segment.number)}
            label={label}
            heat={segment.elapsedMs === null ? null : heatOf(segment.elapsedMs, slowest, quickest)}
            onPick={() => chooseLoopIteration(loop.nodeId, segment.number)}
          />
        ))}
        {children}
      </div>
      <TimelineEnd loop={loop} />
    </div>
  );
}

type SegmentProps = {
  segment: Segment;
  rows: string;
  rowIds: readonly string[];
  picked: boolean;
  live: boolean;
  average: Average | null;
  /**
   * The changes that the iteration made to files; null if they are unknown, undefined if the loop has no
   * workspace.
   */
  files: IterationFiles | null | undefined;
  /** Whether the timeline has a row for changed tests. */
  hasTests: boolean;
  /** The fullest prompt of the iteration; null if it has none, undefined if there is no row for it. */
  context: IterationContext | null | undefined;
  label: (id: string) => string;
  /** The duration compared with the other iterations, from 1 to 5; null for a future iteration. */
  heat: number | null;
  onPick(): void;
};

function SegmentView(props: SegmentProps) {
  const { segment, rows, rowIds, picked, live, average, files, hasTests, context, label, heat, onPick } =
    props;
  const { iteration, number } = segment;
  return (
    <div
      className={styles.segment}
      style={{ gridTemplateRows: rows }}
      role="option"
      aria-selected={picked}
      aria-disabled={iteration === null}
      tabIndex={picked ? 0 : -1}
      data-testid={testIds.timelineSegment(number)}
      data-status={iteration ? iteration.status : "next"}
      data-live={live || undefined}
      onKeyDown={(e) => {
        if (iteration && (e.key === "Enter" || e.key === " ")) onPick();
      }}
    >
      <span className="sr-only">{segmentLabel(segment, live, files ?? null, context ?? null)}</span>
      {picked && <i className={styles.handle} />}
      {heat !== null && (
        <i
          className={classes(styles.heat, heatStyles[`heat-${heat}`])}
          {...tip("Time taken, compared with the other iterations")}
        />
      )}
      <div
        className={styles.head}
        aria-hidden="true"
        {...tip(
          [...(iteration ? [formatDuration(segment.elapsedMs)] : []), ...detailsOf(segment)].join(", "),
        )}
      >
        <span className={classes(styles.number, live && marksStyles.halo)}>{number}</span>
        <div>
          <span className={styles.time} data-testid={testIds.segmentTime}>
            {iteration ? formatDuration(segment.elapsedMs) : <Expected segment={segment} average={average} />}
            {live && <i className={classes("text-running", styles.liveWord)}>live</i>}
          </span>
          {iteration ? (
            <Detail segment={segment} />
          ) : (
            <span className={styles.detail}>{average?.usd ? `~${formatUsd(average.usd)}` : ""}</span>
          )}
        </div>
      </div>
      {files !== undefined && <SegmentFiles number={number} files={files} />}
      {hasTests && <SegmentTests number={number} tests={files?.tests ?? null} />}
      {context !== undefined && <SegmentContext number={number} context={context} label={label} />}
      {rowIds.map((id) => {
        const bar = segment.bars.find((b) => b.nodeId === id);
        return (
          <div className={styles.lane} key={id}>
            {bar && (
              <i
                className={bar.tries ? styles.retried : undefined}
                data-testid={testIds.timelineBar}
                data-state={bar.state}
                {...tip(bar.tries ? `${bar.tries} attempts` : undefined)}
                style={{ left: `${bar.left}%`, width: `max(3px, ${bar.width}%)` }}
              />
            )}
          </div>
        );
      })}
      <div />
    </div>
  );
}

/** Shows the changes that an iteration made to files. If space is short, only the changed lines are shown. */
function SegmentFiles({ number, files }: { number: number; files: IterationFiles | null }) {
  return (
    <div
      className={styles.files}
      aria-hidden="true"
      data-testid={testIds.segmentFiles(number)}
      {...tip(files ? filesWords(files) : undefined)}
    >
      {files !== null && files.filesChanged === 0 && <i>none</i>}
      {files !== null && files.filesChanged > 0 && (
        <>
          <i>{plural(files.filesChanged, "file")} </i>
          <b className="text-ok">+{files.insertions}</b> <b className="text-error">−{files.deletions}</b>
        </>
      )}
    </div>
  );
}

/** Marks an iteration that changed tests. */
function SegmentTests({ number, tests }: { number: number; tests: TestChanges | null }) {
  return (
    <div
      className={classes(styles.tests, "text-warning")}
      aria-hidden="true"
      data-testid={testIds.segmentTests(number)}
      {...tip(tests ? testTip(tests) : undefined)}
    >
      {tests !== null && (
        <>
          <Icon name="triangle-alert" size={11} />
          <span>{testWords(tests)}</span>
        </>
      )}
    </div>
  );
}

/** Returns the prompt of an iteration that will not fit, otherwise its fullest prompt; null if none is known. */
function contextOf({ iterations, tooLong }: LoopContext, number: number): IterationContext | null {
  if (tooLong?.iteration === number) return tooLong;
  return iterations.find(({ iteration }) => iteration === number) ?? null;
}

const exceeds = ({ tokens, window }: IterationContext): boolean => window !== null && tokens > window;

/** Formats a prompt: "prompt 12,431 of 128,000 tokens (10%)"; an estimate says "prompt about". */
const contextWords = ({ tokens, window, estimated }: IterationContext): string =>
  `prompt ${estimated ? "about " : ""}${promptWords(tokens, window)}`;

/** Shows the fullest prompt of an iteration, with its share of the context window. */
function SegmentContext({
  number,
  context,
  label,
}: {
  number: number;
  context: IterationContext | null;
  label: (id: string) => string;
}) {
  return (
    <div
      className={classes(styles.context, context !== null && exceeds(context) && "text-warning")}
      aria-hidden="true"
      data-testid={testIds.segmentContext(number)}
      {...tip(context ? contextTip(context, label) : undefined)}
    >
      {context !== null && (
        <>
          {exceeds(context) && <Icon name="triangle-alert" size={11} />}
          <span>
            {context.estimated && "~"}
            {shortTokens(context.tokens)}
          </span>
          {context.window !== null && (
            <i>
              <b style={{ width: `${Math.min(100, (context.tokens / context.window) * 100)}%` }} />
            </i>
          )}
        </>
      )}
    </div>
  );
}

function contextTip(context: IterationContext, label: (id: string) => string): string {
  const { node, model, estimated } = context;
  const of = [
    ...(node === "" ? [] : [label(node.split("/").at(-1) ?? node)]),
    ...(model ? [bareModel(model)] : []),
  ];
  const where = of.length === 0 ? "" : `${of.join(", ")}: `;
  const why = exceeds(context) ? ". It will not fit." : estimated ? ", if it grows as before" : "";
  return `${where}${contextWords(context)}${why}`;
}

/**
 * Shows, for a future iteration, the wait so far or the expected duration. If space is short, only the time
 * is shown.
 */
function Expected({ segment: { waitedMs }, average }: { segment: Segment; average: Average | null }) {
  const ms = waitedMs ?? average?.ms ?? null;
  if (ms === null) return null;
  return (
    <span className={waitedMs === null ? "" : "text-running"}>
      <i className={styles.word}>{waitedMs === null ? "about" : "waits"} </i>
      {formatDuration(ms)}
    </span>
  );
}

/**
 * Shows a segment's details. If space is short, only the last one remains, such as the price without the
 * calls.
 */
function Detail({ segment }: { segment: Segment }) {
  const parts = detailsOf(segment);
  const before = parts.slice(0, -1);
  return (
    <span className={styles.detail}>
      {before.length > 0 && <i>{before.join(", ")}, </i>}
      {parts.at(-1)}
    </span>
  );
}

function detailsOf({ iteration, waitedMs }: Segment): string[] {
  if (!iteration) return [];
  if (iteration.status === "failed" || iteration.status === "cancelled") {
    const cutOff = cutOffWords(iteration.usage);
    return [...(cutOff ? [cutOff] : []), iteration.status === "failed" ? "failed" : "stopped"];
  }
  const { usage, score } = iteration;
  const failures = failuresOf(iteration);
  const waited = waitedMs === null ? [] : [`waited ${formatDuration(waitedMs)}`];
  if (score !== null) return [...waited, `score ${round(score)}`];
  const calls = usage.calls === 0 ? [] : [plural(usage.calls, "call")];
  // If space is short, only the last detail is visible.
  if (failures !== null) return [...waited, ...calls, failures];
  if (usage.calls === 0) return waited;
  const price = usage.cost_usd === null ? [] : [formatCost(usage)];
  return [...waited, ...calls, ...price];
}

function segmentLabel(
  segment: Segment,
  live: boolean,
  files: IterationFiles | null,
  context: IterationContext | null,
): string {
  const { iteration, number } = segment;
  const full = context !== null && exceeds(context) ? ", will not fit" : "";
  const prompt = context === null ? "" : `, ${contextWords(context)}${full}`;
  if (!iteration) return `Iteration ${number}, not started${prompt}`;
  const state = live ? "running" : iteration.status;
  const waited = segment.waitedMs === null ? "" : `, after a pause of ${formatDuration(segment.waitedMs)}`;
  const similar = iteration.similarity === null ? "" : `, similarity ${iteration.similarity.toFixed(2)}`;
  const failures = failuresOf(iteration);
  const failed = failures === null ? "" : `, ${failures}`;
  const changed = files === null ? "" : `, ${filesWords(files)}`;
  const tests = files?.tests ? `, tests: ${testWords(files.tests)}` : "";
  return `Iteration ${number}, ${state}, ${formatDuration(segment.elapsedMs)}${waited}${failed}${changed}${tests}${prompt}${similar}`;
}

function Similarity({
  layout,
  top,
  threshold,
  asked,
}: {
  layout: TimelineLayout;
  top: number;
  threshold: number;
  asked: boolean;
}) {
  const { points } = layout;
  const floor = similarityFloor(points.map((p) => p.value));
  const line = points.map((p, i) => `${i === 0 ? "M" : "L"}${p.x} ${p.y}`).join("");
  const first = points[0];
  const last = points.at(-1);
  const y = similarityY(threshold, floor);
  // The first iteration has no similarity, and a future one has none yet.
  const isFree = layout.segments.at(-1)?.iteration === null;
  return (
    // Each segment's own label states its similarity.
    <div className={similarityStyles.chart} style={{ top }} aria-hidden="true">
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        {first && last && first !== last && (
          <path className={similarityStyles.area} d={`${line}L${last.x} 100L${first.x} 100Z`} />
        )}
        <path className={similarityStyles.line} d={line} vectorEffect="non-scaling-stroke" />
        <path className={similarityStyles.threshold} d={`M0 ${y}H100`} vectorEffect="non-scaling-stroke" />
      </svg>
      {points.map((p) => (
        <i
          key={p.number}
          className={classes(
            similarityStyles.point,
            p.provisional && similarityStyles.provisional,
            p.y > 62 && similarityStyles.low,
          )}
          {...tip(p.provisional ? "So far; the iteration is still running" : undefined)}
          style={{ left: `${p.x}%`, top: `${p.y}%` }}
        >
          <b>{p.value.toFixed(2)}</b>
        </i>
      ))}
      {layout.segments[0]?.number === 1 && (
        <span className={similarityStyles.first} style={{ left: `${50 / layout.segments.length}%` }}>
          first
        </span>
      )}
      <span
        className={classes(similarityStyles.note, !isFree && similarityStyles.atFirst)}
        style={
          isFree
            ? { top: `${y}%` }
            : { top: `${y}%`, maxWidth: `calc(${100 / layout.segments.length}% - 14px)` }
        }
      >
        {isFree ? `${threshold} counts as stable` : `stable: ${threshold}`}
        {asked ? "" : " (off)"}
      </span>
    </div>
  );
}
