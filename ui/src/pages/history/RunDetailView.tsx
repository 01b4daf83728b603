// One past run: how it went, iterations by node, what came out. It reopens on the canvas as it was.
import { useEffect, useState } from "react";
import { Button, IconButton } from "../../components/Button";
import { Select } from "../../components/fields";
import { Icon } from "../../components/Icon";
import { Markdown } from "../../components/Markdown";
import { CopyButton } from "../../inspector/run/DiffView";
import { RunChip } from "../../inspector/run/StatusChip";
import { valueText } from "../../inspector/run/values";
import { api, errorMessage } from "../../ipc/client";
import type { FlowDoc, RunDetail, RunStatus, RunSummary } from "../../ipc/generated/bindings";
import { formatAgo, formatCost, formatCount, formatDuration, totalTokens } from "../../runs/format";
import type { RunState } from "../../runs/model";
import { outputFormat } from "../../runs/outputs";
import { foldAll } from "../../runs/reduce";
import { CompareCard } from "./CompareCard";
import { candidates } from "./compare";
import { HeatCard } from "./HeatCard";
import { RunReason } from "./RunList";

type Loaded = { runId: string; detail: RunDetail; state: RunState };

export function RunDetailView({
  runId,
  status,
  runs,
  compareWith,
  onCompare,
  onSwap,
  onOpen,
  onResume,
  onDelete,
}: {
  runId: string;
  /** The status in the list: when it changes, the run is read again. */
  status: RunStatus | undefined;
  /** All runs, to compare with. */
  runs: readonly RunSummary[];
  compareWith: string | null;
  onCompare(runId: string | null): void;
  onSwap(): void;
  onOpen(at?: { nodeId: string; loopId: string; number: number }): void;
  onResume(): void;
  onDelete(): void;
}) {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when the run has ended.
  useEffect(() => {
    let wanted = true;
    setFailure(null);
    Promise.all([api().runDetail(runId), api().runEvents(runId)]).then(
      ([detail, events]) => wanted && setLoaded({ runId, detail, state: foldAll(runId, events) }),
      (error) => wanted && setFailure(errorMessage(error)),
    );
    return () => {
      wanted = false;
    };
  }, [runId, status]);
  if (failure !== null) {
    return (
      <main className="rmain">
        <p className="tabnote c-err" role="alert">
          This run could not be read: {failure}
        </p>
      </main>
    );
  }
  if (loaded === null || loaded.runId !== runId) return <main className="rmain" aria-busy="true" />;
  const { detail, state } = loaded;
  const { summary } = detail;
  return (
    <main className="rmain" aria-label={`Run of ${summary.flow}`}>
      <RestingBanner summary={summary} onResume={onResume} onOpen={() => onOpen()} />
      <div className="rhead">
        <h1>{summary.flow}</h1>
        <RunChip status={summary.status} />
        <span className="t3">{formatAgo(Date.parse(summary.startedAt), Date.now())}</span>
        {summary.exitReason && <RunReason run={summary} />}
        <span className="grow" />
        <ComparePicker summary={summary} runs={runs} value={compareWith} onChange={onCompare} />
        <Button icon="workflow" data-testid="open-on-canvas" onClick={() => onOpen()}>
          Open on canvas
        </Button>
        <IconButton icon="trash-2" label="Delete this run" onClick={onDelete} />
      </div>
      <Kpis detail={detail} />
      {detail.error && (
        <div className="runmsg err wideblock" role="alert">
          <Icon name="circle-alert" />
          <span>{detail.error.message}</span>
        </div>
      )}
      {summary.warnings.map((w) => (
        <div className="runmsg warn wideblock" key={`${w.code}:${w.node}:${w.message}`}>
          <Icon name="triangle-alert" />
          <span>{w.message}</span>
        </div>
      ))}
      {state.loopIds.length > 0 && <HeatCard state={state} document={detail.document} onOpen={onOpen} />}
      {compareWith !== null && (
        <CompareCard a={detail} b={compareWith} onSwap={onSwap} onClose={() => onCompare(null)} />
      )}
      <Values title="Output" values={detail.outputs} document={detail.document} />
      <Values title="Input" values={detail.inputs} document={detail.document} />
    </main>
  );
}

/** A run that rests says what it needs: to be taken up again, or an answer. */
function RestingBanner({
  summary,
  onResume,
  onOpen,
}: {
  summary: RunSummary;
  onResume(): void;
  onOpen(): void;
}) {
  if (summary.status !== "interrupted" && summary.status !== "waiting") return null;
  const interrupted = summary.status === "interrupted";
  return (
    <div className={interrupted ? "crash" : "crash waits"} role="alert">
      <span className={interrupted ? "c-err" : "c-warn"}>
        <Icon name={interrupted ? "circle-alert" : "circle-pause"} size={17} />
      </span>
      <span>
        <b>
          {interrupted
            ? `${summary.flow} stopped when the program closed.`
            : `${summary.flow} waits for you.`}
        </b>{" "}
        {interrupted
          ? "What was done is saved and is not paid for twice."
          : "It goes on once you have answered, also after a restart."}
      </span>
      <span className="grow" />
      <Button
        variant="primary"
        icon={interrupted ? "rotate-ccw" : "user-check"}
        data-testid={interrupted ? "resume-run" : "review-run"}
        onClick={interrupted ? onResume : onOpen}
      >
        {interrupted ? "Resume" : "Review"}
      </Button>
    </div>
  );
}

function ComparePicker({
  summary,
  runs,
  value,
  onChange,
}: {
  summary: RunSummary;
  runs: readonly RunSummary[];
  value: string | null;
  onChange(runId: string | null): void;
}) {
  const others = candidates(runs, summary);
  if (others.length === 0) return null;
  const label = (r: RunSummary) =>
    `${r.flow}, ${formatAgo(Date.parse(r.startedAt), Date.now())}${r.exitReason ? `, ${r.exitReason}` : ""}`;
  return (
    <Select
      wide
      label="Compare with another run"
      testId="compare-with"
      value={value ?? ""}
      options={[
        { value: "", label: "Compare with…" },
        ...others.map((r) => ({ value: r.runId, label: label(r) })),
      ]}
      onChange={(id) => onChange(id === "" ? null : id)}
    />
  );
}

function Kpis({ detail }: { detail: RunDetail }) {
  const { summary } = detail;
  const { usage } = summary;
  return (
    <div className="kpis">
      {summary.iterations !== null && (
        <div>
          <b>{formatCount(summary.iterations)}</b>iterations
        </div>
      )}
      <div>
        <b>{formatDuration(summary.durationMs)}</b>total
      </div>
      <div>
        <b>{formatCount(usage.calls)}</b>calls
      </div>
      <div>
        <b>{formatCount(totalTokens(usage))}</b>tokens
      </div>
      {usage.calls > 0 && (
        <div>
          <b>{formatCost(usage)}</b>cost
        </div>
      )}
    </div>
  );
}

function Values({ title, values, document }: { title: string; values: unknown; document: FlowDoc }) {
  const entries = typeof values === "object" && values !== null ? Object.entries(values) : [];
  return entries.map(([name, value]) => {
    const text = valueText(value);
    return (
      <section className="card outcard" key={`${title}:${name}`} aria-label={`${title} ${name}`}>
        <header>
          <h2>
            {title} <span className="t3">{name}</span>
          </h2>
          <span className="grow" />
          <CopyButton text={text} />
        </header>
        <div className={typeof value === "string" ? "outtext" : "outtext mono"}>
          {title === "Output" && outputFormat(document, name) === "markdown" ? (
            <Markdown text={text} />
          ) : (
            text
          )}
        </div>
      </section>
    );
  });
}
