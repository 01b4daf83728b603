// The cases as a grid. Only what is in view is drawn and read: 10,000 rows scroll as fast as ten.
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useMemo, useRef, useState } from "react";
import { tip } from "../../components/tip";
import type { CellResult, ExperimentRow } from "../../ipc/evaluation";
import { plural } from "../../runs/format";
import { testIds } from "../../testids";
import { openCell } from "./actions";
import { CellDetail } from "./CellDetail";
import { type Column, columnsOf } from "./columns";
import { useEvaluation } from "./evaluation-store";
import { rowAt, useExperiment } from "./experiment-store";

const ROW_HEIGHT = 30;
const HEAD_HEIGHT = 46;
const CASE_WIDTH = 150;
/** Rows that are drawn beyond the view. */
const OVERSCAN = 8;

/** What the grid shows: the rows of an experiment, or the cases of the file before the first one. */
function useRows() {
  const view = useExperiment((s) => s.view);
  const pages = useExperiment((s) => s.pages);
  const evaluation = useEvaluation((s) => s.evaluation);
  const cases = useEvaluation((s) => s.cases);
  const shown = view?.evaluation ?? evaluation;
  const sample = view === null ? cases?.cases[0] : (rowAt(pages, 0)?.case ?? cases?.cases[0]);
  const inputs = Object.keys(sample?.inputs ?? shown?.data.inputs ?? {}).join("\n");
  const hasExpected = sample?.expected !== undefined && sample.expected !== null;
  const hasResults = view !== null;
  const columns = useMemo(
    () =>
      shown === null
        ? []
        : columnsOf(shown, inputs === "" ? [] : inputs.split("\n"), hasExpected, hasResults),
    [shown, inputs, hasExpected, hasResults],
  );
  const count = view === null ? (cases?.cases.length ?? 0) : view.caseCount;
  const row = (index: number): ExperimentRow | undefined => {
    if (view !== null) return rowAt(pages, index);
    const one = cases?.cases[index];
    return one && { case: one, cells: [] };
  };
  return { columns, count, row, beyond: view === null ? (cases?.total ?? 0) - count : 0 };
}

interface Place {
  row: number;
  /** -1: the case itself. */
  column: number;
}

export function DataGrid() {
  const { columns, count, row, beyond } = useRows();
  const selected = useExperiment((s) => s.selected);
  const goal = useExperiment((s) => s.goal);
  const { need, select } = useExperiment.getState();
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<Place | null>(null);
  const anchor = useRef(0);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    // Positions count from below the header, which takes this from the view.
    scrollPaddingEnd: HEAD_HEIGHT,
  });
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => box.current,
    estimateSize: (i) => columns[i]?.width ?? 0,
    overscan: 3,
    scrollPaddingEnd: CASE_WIDTH,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: other columns have other widths.
  useEffect(() => across.measure(), [columns]);
  const drawn = rows.getVirtualItems();
  // Larger than any number of rows that are drawn at once, and stable while one scrolls.
  const pool = Math.ceil(drawn.length / 16 + 1) * 16;
  const first = drawn[0]?.index ?? 0;
  const last = drawn.at(-1)?.index ?? 0;
  const id = useExperiment((s) => (s.view === null ? null : s.shown));
  // biome-ignore lint/correctness/useExhaustiveDependencies: of another experiment other rows are needed.
  useEffect(() => void need(first, last), [need, first, last, id]);
  // In another experiment nothing is active yet. Effects also run when the page is shown again.
  const [activeIn, setActiveIn] = useState(id);
  if (activeIn !== id) {
    setActiveIn(id);
    setActive(null);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a request scrolls.
  useEffect(() => {
    if (goal === null) return;
    setActive({ row: goal.row, column: -1 });
    rows.scrollToIndex(goal.row, { align: "center" });
  }, [goal]);

  const move = (to: Place) => {
    const next = {
      row: Math.max(0, Math.min(count - 1, to.row)),
      column: Math.max(-1, Math.min(columns.length - 1, to.column)),
    };
    setActive(next);
    rows.scrollToIndex(next.row);
    if (next.column >= 0) across.scrollToIndex(next.column);
    return next;
  };
  const toggle = (index: number) => {
    // Rows that did not change call this from an earlier drawing.
    const next = new Set(useExperiment.getState().selected);
    if (!next.delete(index)) next.add(index);
    anchor.current = index;
    select(next);
  };
  const selectTo = (index: number) => {
    const [from, to] = [Math.min(anchor.current, index), Math.max(anchor.current, index)];
    select(Array.from({ length: to - from + 1 }, (_, i) => from + i));
  };
  const resultAt = ({ row: index, column }: Place): CellResult | null => {
    const cell = columns[column]?.cell;
    return cell === null || cell === undefined ? null : (row(index)?.cells[cell] ?? null);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const at = active ?? { row: 0, column: -1 };
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 300) / ROW_HEIGHT) - 2);
    const steps: Record<string, Place> = {
      ArrowDown: { ...at, row: at.row + (active === null ? 0 : 1) },
      ArrowUp: { ...at, row: at.row - 1 },
      ArrowRight: { ...at, column: at.column + 1 },
      ArrowLeft: { ...at, column: at.column - 1 },
      PageDown: { ...at, row: at.row + page },
      PageUp: { ...at, row: at.row - page },
      Home: event.ctrlKey ? { row: 0, column: -1 } : { ...at, column: -1 },
      End: event.ctrlKey ? { row: count - 1, column: at.column } : { ...at, column: columns.length - 1 },
    };
    const to = event.altKey || event.metaKey ? undefined : steps[event.key];
    if (to !== undefined) {
      const next = move(to);
      if (event.shiftKey && next.row !== at.row) selectTo(next.row);
      else if (!event.shiftKey) anchor.current = next.row;
    } else if (event.key === " ") toggle(at.row);
    else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      const result = resultAt(at);
      if (result !== null) void openCell(result);
    } else if (event.key === "Escape" && selected.size > 0) select([]);
    else if (event.key === "a" && (event.ctrlKey || event.metaKey))
      select(Array.from({ length: count }, (_, i) => i));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onCell = (place: Place, shift: boolean) => {
    setActive(place);
    if (shift) return selectTo(place.row);
    const result = resultAt(place);
    if (result !== null && result.runId !== "") void openCell(result);
  };

  const cells = across.getVirtualItems();
  const width = CASE_WIDTH + across.getTotalSize();
  const shownColumns = cells.flatMap((item) => {
    const column = columns[item.index];
    return column ? [{ column, index: item.index, left: CASE_WIDTH + item.start }] : [];
  });
  const activeRow = active === null ? undefined : row(active.row);
  return (
    <section className="eval-grid-box" aria-label="Cases">
      {/* biome-ignore lint/a11y/useSemanticElements: rows come and go with the view, which a table element does not allow. */}
      <div
        ref={box}
        className="eval-grid"
        role="grid"
        aria-label="Cases and results"
        aria-rowcount={count + 1}
        aria-colcount={columns.length + 1}
        aria-multiselectable="true"
        aria-activedescendant={
          active !== null && activeRow ? `eval-cell-${active.row}-${active.column}` : undefined
        }
        tabIndex={0}
        data-testid={testIds.evalGrid}
        onKeyDown={onKeyDown}
      >
        {/* biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: as above; the grid has the focus. */}
        <div className="eval-head" role="row" aria-rowindex={1} style={{ width }}>
          {/* biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: as above. */}
          <div className="eval-case" role="columnheader" aria-colindex={1} style={{ width: CASE_WIDTH }}>
            <input
              type="checkbox"
              aria-label="Select all cases"
              tabIndex={-1}
              checked={count > 0 && selected.size === count}
              onChange={(e) => select(e.target.checked ? Array.from({ length: count }, (_, i) => i) : [])}
            />
            Case
          </div>
          {shownColumns.map(({ column, index, left }) => (
            // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: as above.
            <div
              key={column.id}
              role="columnheader"
              aria-colindex={index + 2}
              className={`eval-title${column.isNumber ? " number" : ""}${isFirst(columns, index) ? " first" : ""}`}
              style={{ left, width: column.width }}
            >
              {column.group !== null && (
                <small className={isFirst(columns, index) ? "" : "sr-only"}>{column.group}</small>
              )}
              <span {...tip(column.title)}>{column.title}</span>
            </div>
          ))}
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
        <div className="eval-body" role="rowgroup" style={{ height: rows.getTotalSize(), width }}>
          {drawn.map((item) => (
            <Row
              // Rows that scroll out are used again for those that scroll in.
              key={item.index % pool}
              index={item.index}
              top={item.start}
              row={row(item.index)}
              columns={shownColumns}
              all={columns}
              active={active?.row === item.index ? active.column : null}
              isSelected={selected.has(item.index)}
              onCell={onCell}
              onToggle={toggle}
            />
          ))}
        </div>
      </div>
      {beyond > 0 && (
        <p className="eval-beyond">
          {plural(beyond, "more case")} in the file. They are listed once the evaluation has run.
        </p>
      )}
      {active !== null && activeRow && (
        <CellDetail
          row={activeRow}
          column={columns[active.column] ?? null}
          result={resultAt(active)}
          onClose={() => {
            setActive(null);
            box.current?.focus();
          }}
        />
      )}
    </section>
  );
}

/** Whether the columns of a variant begin here. */
const isFirst = (columns: readonly Column[], index: number): boolean =>
  columns[index]?.group !== columns[index - 1]?.group;

interface RowProps {
  index: number;
  top: number;
  row: ExperimentRow | undefined;
  columns: readonly { column: Column; index: number; left: number }[];
  all: readonly Column[];
  active: number | null;
  isSelected: boolean;
  onCell(place: Place, shift: boolean): void;
  onToggle(index: number): void;
}

const sameColumns = (a: RowProps["columns"], b: RowProps["columns"]): boolean =>
  a.length === b.length && a.every((one, i) => one.column === b[i]?.column && one.left === b[i]?.left);

/** Drawn again only if something in it changed; its handlers read what is current. */
const Row = memo(
  ({ index, top, row, columns, all, active, isSelected, onCell, onToggle }: RowProps) => (
    // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: the grid has the focus.
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      aria-busy={row === undefined || undefined}
      className={`eval-row${isSelected ? " on" : ""}${index % 2 === 1 ? " odd" : ""}`}
      style={{ transform: `translateY(${top}px)` }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: as above. */}
      <div
        id={`eval-cell-${index}--1`}
        role="rowheader"
        aria-colindex={1}
        className={`eval-case${active === -1 ? " active" : ""}`}
        style={{ width: CASE_WIDTH }}
        {...tip(row?.case.id)}
        onClick={(event) => onCell({ row: index, column: -1 }, event.shiftKey)}
      >
        <input
          type="checkbox"
          aria-label={`Select case ${row?.case.id ?? index + 1}`}
          tabIndex={-1}
          checked={isSelected}
          onClick={(event) => event.stopPropagation()}
          onChange={() => onToggle(index)}
        />
        <span className="clip-text">{row?.case.id ?? ""}</span>
      </div>
      {row === undefined ? (
        // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: as above.
        <div role="gridcell" aria-colindex={2} className="eval-reading" style={{ left: CASE_WIDTH }}>
          <i className="skeleton" />
        </div>
      ) : (
        columns.map(({ column, index: at, left }) => {
          const { text, title, tone } = column.read(row);
          const hasRun = column.cell !== null && Boolean(row.cells[column.cell]?.runId);
          return (
            // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the grid has the focus, and its keys do the same.
            <div
              key={column.id}
              id={`eval-cell-${index}-${at}`}
              role="gridcell"
              aria-colindex={at + 2}
              className={`eval-cell${column.isNumber ? " number" : ""}${tone ? ` ${tone}` : ""}${active === at ? " active" : ""}${hasRun ? " opens" : ""}${isFirst(all, at) ? " first" : ""}`}
              style={{ left, width: column.width }}
              {...tip(title)}
              onClick={(event) => onCell({ row: index, column: at }, event.shiftKey)}
            >
              {text}
            </div>
          );
        })
      )}
    </div>
  ),
  (a, b) =>
    a.index === b.index &&
    a.top === b.top &&
    a.row === b.row &&
    a.active === b.active &&
    a.isSelected === b.isSelected &&
    a.all === b.all &&
    sameColumns(a.columns, b.columns),
);
