// A grid of iterations and nodes, in which slow and costly cells stand out. Arrow keys move in the grid, and
// Enter opens the run at the cell.

import { useEffect, useId, useMemo, useRef, useState } from "react";
import cardStyles from "../../components/Card.module.css";
import { classes } from "../../components/classes";
import { Segmented } from "../../components/fields";
import heatStyles from "../../components/Heat.module.css";
import { Icon } from "../../components/Icon";
import { reasonLook } from "../../components/reason";
import { Select } from "../../components/Select";
import { tip } from "../../components/tip";
import { useKinds } from "../../document/kinds";
import { NodeTile } from "../../inspector/NodeSettings";
import { type Estimates, similarityOf, useLoopSimilarities } from "../../inspector/timeline/use-similarities";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { titleIn } from "../../kernels/node-title";
import type { LoopRecord, RunState } from "../../runs/fold/model";
import { pauseBefore } from "../../runs/fold/pauses";
import { shownLoop } from "../../runs/view/view";
import {
  exitTip,
  exitTitle,
  exitTone,
  formatCost,
  formatCount,
  formatDuration,
  formatUsd,
  plural,
  totalTokens,
} from "../../runs/words/format";
import type { At } from "./actions";
import styles from "./HeatCard.module.css";
import { type Cell, type HeatGrid, heatGrid, type Measure, moveInGrid, ofUsage, sum } from "./heat";

/**
 * The minimum width of a column in pixels, enough for "317 ms". Twelve such columns fit into a window of 1440
 * pixels.
 */
const MIN_COLUMN_WIDTH = 55;
/** With this many columns or more, cells have less padding. */
const DENSE = 9;
/** The maximum number of columns at which each cell still has space for its number. */
const MAX_COLUMNS = 12;

export const showMeasure = (measure: Measure, value: number | null): string => {
  if (value === null) return "?";
  if (measure === "duration") return formatDuration(value);
  return measure === "cost" ? formatUsd(value) : formatCount(value);
};

type HeatProps = {
  state: RunState;
  document: FlowDoc;
  /** Loads the iterations in `numbers` that are not loaded yet. Iterations count from 1. */
  need(loopPath: string, numbers: readonly number[]): void;
  onOpen(at: At): void;
};

export function HeatCard({ state, document, need, onOpen }: HeatProps) {
  const [picked, setPicked] = useState("");
  const [measure, setMeasure] = useState<Measure>("duration");
  const [from, setFrom] = useState(1);
  const [at, setAt] = useState<readonly [number, number] | null>(null);
  const loopId = state.loopIds.includes(picked) ? picked : (state.loopIds[0] ?? "");
  const loop = shownLoop(state, {}, loopId);
  const last = loop?.iterations.length ?? 0;
  const first = Math.max(1, Math.min(from, last - MAX_COLUMNS + 1));
  const numbers = useMemo(
    () => Array.from({ length: Math.min(MAX_COLUMNS, last) }, (_, i) => first + i),
    [first, last],
  );
  const path = loop?.path;
  useEffect(() => {
    if (path !== undefined) need(path, numbers);
  }, [path, numbers, need]);
  const grid = useMemo(() => (loop ? heatGrid(loop, measure, numbers) : null), [loop, measure, numbers]);
  if (!loop || !grid || last === 0) return null;
  const cell = at === null ? null : (grid.rows[at[0]]?.cells[at[1]] ?? null);
  return (
    <section
      className={classes(cardStyles.card, styles.heat)}
      aria-label="Iterations by node"
      data-testid="heat"
    >
      <header>
        <h2>Iterations by node</h2>
        {state.loopIds.length > 1 && (
          <Select
            label="Loop"
            value={loopId}
            options={state.loopIds.map((id) => ({ value: id, label: titleIn(document, id) }))}
            onChange={setPicked}
          />
        )}
        {last > MAX_COLUMNS && (
          <input
            type="range"
            aria-label="First iteration shown"
            aria-valuetext={`Iterations ${first} to ${first + MAX_COLUMNS - 1} of ${last}`}
            min={1}
            max={last - MAX_COLUMNS + 1}
            value={first}
            onChange={(e) => setFrom(Number(e.target.value))}
          />
        )}
        {cell && (
          <CellNote
            cell={cell}
            label={titleIn(document, cell.nodeId)}
            onOpen={() => onOpen({ nodeId: cell.nodeId, loopId, number: cell.number })}
          />
        )}
        <span className="grow" />
        <Scale most={showMeasure(measure, grid.most)} least={showMeasure(measure, 0)} />
        <Segmented<Measure>
          small
          label="Measure"
          value={measure}
          options={[
            { value: "duration", label: "Duration" },
            { value: "cost", label: "Cost" },
            { value: "tokens", label: "Tokens" },
          ]}
          onChange={setMeasure}
        />
      </header>
      <Grid
        loop={loop}
        grid={grid}
        measure={measure}
        document={document}
        runId={state.runId}
        at={at}
        onAt={setAt}
        onOpen={(c) => onOpen({ nodeId: c.nodeId, loopId, number: c.number })}
      />
    </section>
  );
}

function Scale({ least, most }: { least: string; most: string }) {
  return (
    <div className={styles.scale}>
      {least}
      <span aria-hidden="true">
        {[1, 2, 3, 4, 5].map((h) => (
          <i key={h} className={heatStyles[`heat-${h}`]} />
        ))}
      </span>
      {most}
    </div>
  );
}

/** Describes the chosen cell, with a link that opens the run there. */
function CellNote({ cell, label, onOpen }: { cell: Cell; label: string; onOpen(): void }) {
  const { step } = cell;
  const facts = !cell.ran
    ? [step?.reason ?? "did not run"]
    : [
        formatDuration(step?.durationMs ?? null),
        step && step.usage.calls > 0 ? formatCost(step.usage) : null,
        step && step.usage.calls > 0 ? `${formatCount(totalTokens(step.usage))} tokens` : null,
        step && step.usage.calls > 1 ? plural(step.usage.calls, "call") : null,
        step && step.attempts > 1 ? `${step.attempts} attempts` : null,
      ];
  return (
    <span className={styles.note}>
      <b>
        {label}, iteration {cell.number}
      </b>
      <span>{facts.filter(Boolean).join(" • ")}</span>
      <button type="button" onClick={onOpen} data-testid="open-cell">
        Open in inspector <kbd>↵</kbd>
      </button>
    </span>
  );
}

type GridProps = {
  loop: LoopRecord;
  grid: HeatGrid;
  measure: Measure;
  document: FlowDoc;
  runId: string;
  at: readonly [row: number, column: number] | null;
  onAt(at: readonly [row: number, column: number]): void;
  onOpen(cell: Cell): void;
};

function Grid({ loop, grid, measure, document, runId, at, onAt, onOpen }: GridProps) {
  const name = useId();
  const table = useRef<HTMLTableElement>(null);
  const { rows, numbers } = grid;
  const estimates = useLoopSimilarities(runId, loop, document, numbers[0] ?? 1, numbers.at(-1) ?? 1);
  const focus = ([row, column]: readonly [number, number]) =>
    table.current?.querySelector<HTMLElement>(`[data-at="${row}:${column}"]`)?.focus();
  const onKeyDown = (e: React.KeyboardEvent) => {
    const here = at ?? [0, 0];
    const cell = rows[here[0]]?.cells[here[1]];
    if (e.key === "Enter" || e.key === " ") {
      if (cell) onOpen(cell);
    } else {
      const next = moveInGrid(e.key, e.ctrlKey || e.metaKey, [here[0], here[1]], rows.length, numbers.length);
      if (next === null) return;
      onAt(next);
      focus(next);
    }
    e.preventDefault();
  };
  return (
    <table
      ref={table}
      className={classes(styles.grid, numbers.length >= DENSE && styles.dense)}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the grid pattern over a real table.
      role="grid"
      aria-label={`${measure} by node and iteration`}
      aria-describedby={name}
      style={{
        gridTemplateColumns: `150px repeat(${numbers.length}, minmax(${MIN_COLUMN_WIDTH}px, 1fr)) 112px`,
      }}
      onKeyDown={onKeyDown}
    >
      <caption id={name} className="sr-only">
        Use the arrow keys to move. Press Enter to open the run at the selected cell.
      </caption>
      <thead>
        <tr>
          <th scope="col" aria-label="Node" />
          {numbers.map((n) => (
            <Head key={n} loop={loop} number={n} />
          ))}
          <th className={classes(styles.columnHeading, styles.all)} scope="col">
            {numbers.length < loop.iterations.length ? "Shown" : "All"}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, r) => (
          <tr key={row.nodeId}>
            <RowHead document={document} nodeId={row.nodeId} />
            {row.cells.map((cell, c) => (
              <HeatCell
                key={cell.number}
                cell={cell}
                text={showMeasure(measure, cell.value)}
                label={titleIn(document, cell.nodeId)}
                at={`${r}:${c}`}
                isHere={at !== null && at[0] === r && at[1] === c}
                isEntry={at === null ? r === 0 && c === 0 : at[0] === r && at[1] === c}
                onPick={() => onAt([r, c])}
                onOpen={() => onOpen(cell)}
              />
            ))}
            <td className={styles.rowTotal}>{showMeasure(measure, row.total)}</td>
          </tr>
        ))}
      </tbody>
      <Footer loop={loop} numbers={numbers} measure={measure} estimates={estimates} />
    </table>
  );
}

function Head({ loop, number }: { loop: LoopRecord; number: number }) {
  const iteration = loop.iterations[number - 1];
  const cost = iteration && iteration.usage.calls > 0 ? formatCost(iteration.usage) : "";
  return (
    <th className={styles.columnHeading} scope="col">
      <b>{number}</b>
      {cost === "" || cost === "free" || cost === "not known" ? null : <span {...tip(cost)}>{cost}</span>}
    </th>
  );
}

function RowHead({ document, nodeId }: { document: FlowDoc; nodeId: string }) {
  const type = document.nodes.find((n) => n.id === nodeId)?.type ?? "";
  const kind = useKinds((s) => s.byType.get(type));
  return (
    <th className={styles.rowHeading} scope="row">
      <NodeTile kind={kind} size={13} />
      <span>{titleIn(document, nodeId)}</span>
    </th>
  );
}

type HeatCellProps = {
  cell: Cell;
  text: string;
  label: string;
  at: string;
  isHere: boolean;
  /** Whether Tab focuses this cell when it enters the grid. */
  isEntry: boolean;
  onPick(): void;
  onOpen(): void;
};

function HeatCell({ cell, text, label, at, isHere, isEntry, onPick, onOpen }: HeatCellProps) {
  const { step } = cell;
  const without = step === null ? "" : step.status === "cancelled" ? "interrupted" : "skipped";
  const failed = step?.status === "failed";
  const times = (step?.attempts ?? 1) - 1;
  const retried = times === 1 ? "failed once" : times > 1 ? `failed ${times} times` : "";
  const note = failed ? "failed" : retried;
  const look = cell.ran ? heatStyles[`heat-${cell.heat}`] : styles.notRun;
  // The accessible label contains the visible text, so that people who use voice control can name the cell.
  const why = [without || "did not run", step?.reason].filter(Boolean).join(", ");
  const spokenText = cell.ran ? text : why;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the enclosing grid handles the keys.
    <td
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the grid pattern over a real table.
      role="gridcell"
      aria-selected={isHere}
      className={classes(styles.cell, look, note !== "" && styles.failed)}
      {...tip(step?.reason ?? undefined)}
      aria-label={`${label}, iteration ${cell.number}: ${spokenText}${note ? `, ${note}` : ""}`}
      data-at={at}
      tabIndex={isEntry ? 0 : -1}
      onClick={onPick}
      onDoubleClick={onOpen}
    >
      {cell.ran ? text : without}
      {note && (
        <em>
          <Icon name={failed ? "circle-x" : "rotate-ccw"} size={10} />
          <span>{note}</span>
        </em>
      )}
    </td>
  );
}

function Footer({
  loop,
  numbers,
  measure,
  estimates,
}: {
  loop: LoopRecord;
  numbers: readonly number[];
  measure: Measure;
  /** The similarities that the window computes for iterations that the engine did not compare. */
  estimates: Estimates;
}) {
  const iterations = numbers.map((n) => loop.iterations[n - 1]);
  const whole = (i: LoopRecord["iterations"][number] | undefined) =>
    i === undefined ? null : measure === "duration" ? (i.durationMs ?? 0) : ofUsage(i.usage, measure);
  const similarities = iterations.map((i) => (i === undefined ? null : similarityOf(i, estimates)));
  const all = numbers.length === loop.iterations.length;
  const pauses = numbers.map((n) => (measure === "duration" ? pauseBefore(loop, n, null) : null));
  const similar = similarities.some((value) => value !== null);
  return (
    <tfoot>
      <tr>
        <th className={classes(styles.foot, styles.left)} scope="row">
          Whole iteration
        </th>
        {iterations.map((i) => (
          <td className={styles.foot} key={i?.number}>
            {showMeasure(measure, whole(i))}
          </td>
        ))}
        <td className={styles.foot}>
          {showMeasure(measure, sum((all ? loop.iterations : iterations).map(whole)))}
        </td>
      </tr>
      {pauses.some((ms) => ms !== null) && (
        <tr>
          <th className={classes(styles.foot, styles.left)} scope="row">
            Pause before
          </th>
          {numbers.map((n, at) => (
            <td className={styles.foot} key={n}>
              {formatDuration(pauses[at] ?? null)}
            </td>
          ))}
          <td className={styles.foot}>{formatDuration(sum(pauses.map((ms) => ms ?? 0)))}</td>
        </tr>
      )}
      {similar && (
        <tr>
          <th className={classes(styles.foot, styles.left)} scope="row">
            Similarity to previous
          </th>
          {numbers.map((n, at) => (
            <td className={styles.foot} key={n}>
              <Similar number={n} value={similarities[at] ?? null} />
            </td>
          ))}
          <td className={styles.foot}>
            {loop.exitReason && (
              <span
                className={classes(reasonLook(exitTone(loop.exitReason, loop.exhausted)), "clip-text")}
                {...tip(exitTip(loop.exitReason))}
              >
                {exitTitle(loop.exitReason)}
              </span>
            )}
          </td>
        </tr>
      )}
    </tfoot>
  );
}

function Similar({ number, value }: { number: number; value: number | null }) {
  if (value === null) return number === 1 ? "first" : "–";
  return (
    <>
      <span className={styles.similarity}>
        <i style={{ width: `${value * 100}%` }} />
      </span>
      {value.toFixed(2)}
    </>
  );
}
