// The left column of the history: search, filters, and the runs by day.
import { useRef } from "react";
import { Select, TextField } from "../../components/fields";
import { Icon } from "../../components/Icon";
import type { RunStatus, RunSummary } from "../../ipc/generated/bindings";
import { exitTone, formatClock, formatCost, formatDuration, formatUsd, plural } from "../../runs/format";
import { testIds } from "../../testids";
import { byDay, type Filter, filterRuns, medianMs, NO_FILTER } from "./filter";

const STATUS_ICON: Record<RunStatus, { icon: string; tone: string }> = {
  running: { icon: "loader-circle", tone: "running" },
  paused: { icon: "circle-pause", tone: "queued" },
  waiting: { icon: "circle-pause", tone: "queued" },
  completed: { icon: "circle-check", tone: "done" },
  failed: { icon: "circle-x", tone: "failed" },
  cancelled: { icon: "circle-slash-2", tone: "queued" },
  interrupted: { icon: "circle-alert", tone: "failed" },
};

type ListProps = {
  runs: readonly RunSummary[];
  selected: string | null;
  /** The run that the selected one is compared with. */
  compared: string | null;
  filter: Filter;
  onFilter(filter: Filter): void;
  onSelect(runId: string): void;
  onOpen(runId: string): void;
};

export function RunList({ runs, selected, compared, filter, onFilter, onSelect, onOpen }: ListProps) {
  const list = useRef<HTMLDivElement>(null);
  const shown = filterRuns(runs, filter);
  const spent = shown.reduce((sum, r) => sum + (r.usage.cost_usd ?? 0), 0);
  const move = (by: number) => {
    const at = shown.findIndex((r) => r.runId === selected);
    const next = shown[Math.max(0, Math.min(shown.length - 1, at + by))];
    if (!next) return;
    onSelect(next.runId);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus());
  };
  return (
    <aside className="rl" aria-label="Run history">
      <div className="psearch">
        <Icon name="search" />
        <TextField
          type="search"
          label="Search runs"
          placeholder="Search runs"
          value={filter.search}
          onChange={(search) => onFilter({ ...filter, search })}
        />
      </div>
      <Filters runs={runs} filter={filter} onFilter={onFilter} />
      <div className="rsum">
        <span>{plural(shown.length, "run")}</span>
        <span>{formatUsd(spent)} spent</span>
        <span>median {formatDuration(medianMs(shown))}</span>
      </div>
      <div
        ref={list}
        className="rlist"
        role="listbox"
        tabIndex={-1}
        aria-label="Runs"
        onKeyDown={(e) => {
          if (e.key === "Enter" && selected !== null) onOpen(selected);
          else if (e.key === "ArrowDown") move(1);
          else if (e.key === "ArrowUp") move(-1);
          else return;
          e.preventDefault();
        }}
      >
        {byDay(shown, Date.now()).map(({ day, runs: ofDay }) => (
          <div key={day}>
            <div className="rday">{day}</div>
            {ofDay.map((run) => (
              <RunRow
                key={run.runId}
                run={run}
                selected={run.runId === selected}
                mark={
                  compared === null
                    ? null
                    : run.runId === selected
                      ? "A"
                      : run.runId === compared
                        ? "B"
                        : null
                }
                onSelect={() => onSelect(run.runId)}
                onOpen={() => onOpen(run.runId)}
              />
            ))}
          </div>
        ))}
        {runs.length > 0 && shown.length === 0 && (
          <div className="empty">
            No run fits.
            <button type="button" className="linkb" onClick={() => onFilter(NO_FILTER)}>
              Clear the filters
            </button>
          </div>
        )}
      </div>
    </aside>
  );
}

function Filters({ runs, filter, onFilter }: Pick<ListProps, "runs" | "filter" | "onFilter">) {
  const statuses = [...new Set(runs.map((r) => r.status))];
  const exits = [...new Set(runs.flatMap((r) => r.exitReason ?? []))];
  const options = (all: string, values: readonly string[]) => [
    { value: "", label: all },
    ...values.map((value) => ({ value, label: value })),
  ];
  return (
    <div className="filters">
      <Select
        label="Status"
        value={filter.status}
        options={options("Any status", statuses)}
        onChange={(status) => onFilter({ ...filter, status })}
      />
      <Select
        label="Exit reason"
        value={filter.exit}
        options={options("Any exit reason", exits)}
        onChange={(exit) => onFilter({ ...filter, exit })}
      />
    </div>
  );
}

type RowProps = {
  run: RunSummary;
  selected: boolean;
  mark: "A" | "B" | null;
  onSelect(): void;
  onOpen(): void;
};

function RunRow({ run, selected, mark, onSelect, onOpen }: RowProps) {
  const { icon, tone } = STATUS_ICON[run.status];
  const started = Date.parse(run.startedAt);
  return (
    <div
      className={`run${selected ? " on" : ""}`}
      role="option"
      aria-selected={selected}
      tabIndex={selected ? 0 : -1}
      data-testid={testIds.runRow(run.runId)}
      onClick={onSelect}
      onDoubleClick={onOpen}
      onKeyDown={(e) => {
        if (e.key === " ") onSelect();
      }}
    >
      <span className={`stic ${tone}`}>
        <Icon name={icon} size={16} />
      </span>
      <div>
        <div className="l1">
          <b>{run.flow}</b>
          {mark && <span className={mark === "A" ? "ab" : "ab b"}>{mark}</span>}
          <time dateTime={run.startedAt}>{formatClock(started)}</time>
        </div>
        <div className="l2">
          <IterationBars run={run} />
          <RunReason run={run} />
          <span className="r">{formatDuration(run.durationMs)}</span>
          {run.usage.calls > 0 && <span>{formatCost(run.usage)}</span>}
        </div>
      </div>
    </div>
  );
}

const MOST_BARS = 12;

function IterationBars({ run }: { run: RunSummary }) {
  const count = Math.min(run.iterations ?? 0, MOST_BARS);
  if (count === 0) return null;
  const last = run.exitReason ? exitTone(run.exitReason) : "g";
  return (
    <span className="bars" title={plural(run.iterations ?? 0, "iteration")}>
      {Array.from({ length: count }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place.
        <i key={i} style={{ height: 11 }} className={i === count - 1 ? last : ""} />
      ))}
    </span>
  );
}

export function RunReason({ run }: { run: Pick<RunSummary, "status" | "exitReason" | "warnings"> }) {
  if (run.status === "running") return <span className="reason s">running</span>;
  if (run.status === "waiting") return <span className="reason m">waiting</span>;
  if (run.status === "paused") return <span className="reason g">paused</span>;
  if (run.status === "cancelled") return <span className="reason g">stopped</span>;
  if (run.status === "interrupted") return <span className="reason x">interrupted</span>;
  if (run.exitReason) {
    const exhausted = run.warnings.some((w) => w.code.includes("exhausted"));
    return <span className={`reason ${exitTone(run.exitReason, exhausted)}`}>{run.exitReason}</span>;
  }
  return run.status === "failed" ? (
    <span className="reason x">error</span>
  ) : (
    <span className="reason e">done</span>
  );
}
