// Iterations by node: slow and busy cells stand out; a cell opens the run there.
import { useState } from "react";
import { Segmented, Select } from "../../components/fields";
import { useKinds } from "../../document/kinds";
import { NodeTile } from "../../inspector/NodeSettings";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { exitTone, formatCount, formatDuration } from "../../runs/format";
import type { LoopRecord, RunState } from "../../runs/model";
import { labelOf } from "../../runs/shown";
import { shownLoop } from "../../runs/view";
import { type Cell, heatGrid, type Measure } from "./heat";

/** More columns than this are too narrow for their numbers. */
const MOST_COLUMNS = 12;

type HeatProps = {
  state: RunState;
  document: FlowDoc;
  onOpen(at: { nodeId: string; loopId: string; number: number }): void;
};

export function HeatCard({ state, document, onOpen }: HeatProps) {
  const [loopId, setLoopId] = useState(state.loopIds[0] ?? "");
  const [measure, setMeasure] = useState<Measure>("duration");
  const [from, setFrom] = useState(1);
  const loop = shownLoop(state, {}, loopId);
  if (!loop || loop.iterations.length === 0) return null;
  const last = loop.iterations.length;
  const first = Math.max(1, Math.min(from, last - MOST_COLUMNS + 1));
  const numbers = Array.from({ length: Math.min(MOST_COLUMNS, last) }, (_, i) => first + i);
  const grid = heatGrid(loop, measure, numbers);
  const show = (value: number) => (measure === "duration" ? formatDuration(value) : formatCount(value));
  return (
    <section className="card heat">
      <header>
        <h2>Iterations by node</h2>
        {state.loopIds.length > 1 && (
          <Select
            label="Loop"
            value={loopId}
            options={state.loopIds.map((id) => ({ value: id, label: labelOf(document, id) }))}
            onChange={setLoopId}
          />
        )}
        {last > MOST_COLUMNS && (
          <input
            type="range"
            aria-label="First iteration shown"
            min={1}
            max={last - MOST_COLUMNS + 1}
            value={first}
            onChange={(e) => setFrom(Number(e.target.value))}
          />
        )}
        <span className="grow" />
        <div className="hscale">
          {show(0)}
          <span aria-hidden="true">
            {[1, 2, 3, 4, 5].map((h) => (
              <i key={h} className={`h${h}`} />
            ))}
          </span>
          {show(grid.most)}
        </div>
        <Segmented<Measure>
          small
          label="Measure"
          value={measure}
          options={[
            { value: "duration", label: "Duration" },
            { value: "calls", label: "Calls" },
            { value: "tokens", label: "Tokens" },
          ]}
          onChange={setMeasure}
        />
      </header>
      <table
        className="hg"
        aria-label={`${measure} by node and iteration`}
        style={{ gridTemplateColumns: `150px repeat(${numbers.length}, minmax(0, 1fr)) 112px` }}
      >
        <thead>
          <tr>
            <th scope="col" aria-label="Node" />
            {numbers.map((n) => (
              <th className="ch" scope="col" key={n}>
                <b>{n}</b>
              </th>
            ))}
            <th className="ch all" scope="col">
              All
            </th>
          </tr>
        </thead>
        <tbody>
          {grid.rows.map((row) => (
            <tr key={row.nodeId}>
              <RowHead document={document} nodeId={row.nodeId} />
              {row.cells.map((cell) => (
                <HeatCell
                  key={cell.number}
                  cell={cell}
                  text={cell.value === null ? "" : show(cell.value)}
                  label={labelOf(document, cell.nodeId)}
                  onOpen={() => onOpen({ nodeId: cell.nodeId, loopId, number: cell.number })}
                />
              ))}
              <td className="tot">{show(row.total)}</td>
            </tr>
          ))}
        </tbody>
        <Footer loop={loop} numbers={numbers} />
      </table>
    </section>
  );
}

function RowHead({ document, nodeId }: { document: FlowDoc; nodeId: string }) {
  const type = document.nodes.find((n) => n.id === nodeId)?.type ?? "";
  const kind = useKinds((s) => s.byType.get(type));
  return (
    <th className="rh" scope="row">
      <NodeTile kind={kind} size={13} />
      <span>{labelOf(document, nodeId)}</span>
    </th>
  );
}

function HeatCell({
  cell,
  text,
  label,
  onOpen,
}: {
  cell: Cell;
  text: string;
  label: string;
  onOpen(): void;
}) {
  const skipped = cell.value === null;
  const without = cell.status === "cancelled" ? "cut off" : "not run";
  const failed = cell.status === "failed";
  const classes = ["c", skipped ? "skip" : `h${cell.heat}`, failed ? "fail" : ""];
  return (
    <td>
      <button
        type="button"
        className={classes.filter(Boolean).join(" ")}
        title={cell.reason ?? undefined}
        aria-label={`${label}, iteration ${cell.number}: ${skipped ? (cell.reason ?? without) : text}${failed ? ", failed" : ""}`}
        onClick={onOpen}
      >
        {skipped ? without : text}
        {failed && <em>failed</em>}
      </button>
    </td>
  );
}

function Footer({ loop, numbers }: { loop: LoopRecord; numbers: readonly number[] }) {
  const iterations = numbers.map((n) => loop.iterations[n - 1]);
  const total = loop.iterations.reduce((sum, i) => sum + (i.durationMs ?? 0), 0);
  const similar = iterations.some((i) => i?.similarity != null);
  return (
    <tfoot>
      <tr>
        <th className="ft left" scope="row">
          Whole iteration
        </th>
        {iterations.map((i) => (
          <td className="ft" key={i?.number}>
            {formatDuration(i?.durationMs ?? null)}
          </td>
        ))}
        <td className="ft">{formatDuration(total)}</td>
      </tr>
      {similar && (
        <tr>
          <th className="ft left" scope="row">
            Similar to previous
          </th>
          {iterations.map((i) => (
            <td className="ft" key={i?.number}>
              {i?.similarity == null ? (
                i?.number === 1 ? (
                  "first"
                ) : (
                  "–"
                )
              ) : (
                <>
                  <span className="simbar">
                    <i style={{ width: `${i.similarity * 100}%` }} />
                  </span>
                  {i.similarity.toFixed(2)}
                </>
              )}
            </td>
          ))}
          <td className="ft">
            {loop.exitReason && (
              <span className={`reason ${exitTone(loop.exitReason, loop.exhausted)}`}>{loop.exitReason}</span>
            )}
          </td>
        </tr>
      )}
    </tfoot>
  );
}
