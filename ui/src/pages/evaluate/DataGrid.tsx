// The cases as a grid. Only visible rows are drawn and read, so that 10,000 rows scroll as fast as ten.

import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { classes } from "../../components/classes";
import { tip } from "../../components/tip";
import type { CellResult, ExperimentRow } from "../../ipc/evaluation";
import { plural } from "../../runs/words/format";
import { testIds } from "../../testids";
import { openCell } from "./actions";
import { CellDetail } from "./CellDetail";
import { columnsOf } from "./columns";
import styles from "./DataGrid.module.css";
import { useEvaluation } from "./evaluation-store";
import { rowAt, useExperiment } from "./experiment-store";
import { CASE_WIDTH, GridRow, type ShownColumn } from "./GridRow";

const ROW_HEIGHT = 30;
const HEAD_HEIGHT = 46;
/** The number of rows drawn above and below the visible ones. */
const OVERSCAN = 4;
/** The number of cases loaded ahead while scrolling, so that their rows are drawn only once. */
const READ_AHEAD = 60;

/**
 * Returns the rows of the grid: those of an experiment, or before the first experiment the cases of the file.
 */
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
  /** The active column; -1 for the case itself. */
  column: number;
}

export function DataGrid() {
  const { columns, count, row, beyond } = useRows();
  const selected = useExperiment((s) => s.selected);
  const goal = useExperiment((s) => s.goal);
  const { need, select } = useExperiment.getState();
  const box = useRef<HTMLDivElement>(null);
  // Sticky elements cost time in each frame. The case ids are sticky only while the grid is scrolled
  // sideways.
  useLayoutEffect(() => {
    const grid = box.current;
    const mark = () => grid?.toggleAttribute("data-sideways", grid.scrollLeft !== 0);
    grid?.addEventListener("scroll", mark, { capture: true, passive: true });
    return () => grid?.removeEventListener("scroll", mark, { capture: true });
  }, []);
  const [active, setActive] = useState<Place | null>(null);
  const anchor = useRef(0);
  // The height is unknown before the first render.
  const [height, setHeight] = useState(0);
  // Unless the list is short, the number of rows is constant. A row that scrolls out is reused for one that
  // scrolls in, so no element is recreated.
  const slots = Math.min(count, Math.ceil(height / ROW_HEIGHT) + 1 + 2 * OVERSCAN);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    rangeExtractor: ({ startIndex, endIndex }) => {
      const length = Math.min(count, Math.max(slots, endIndex - startIndex + 1));
      const start = Math.max(0, Math.min(startIndex - OVERSCAN, count - length));
      return Array.from({ length }, (_, i) => start + i);
    },
    onChange: ({ scrollRect }) => setHeight(scrollRect?.height ?? 0),
    // Positions start below the header, which covers the top of the view.
    scrollPaddingEnd: HEAD_HEIGHT,
  });
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => box.current,
    estimateSize: (i) => columns[i]?.width ?? 0,
    overscan: 1,
    scrollPaddingEnd: CASE_WIDTH,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: different columns have different widths.
  useEffect(() => across.measure(), [columns]);
  const visibleRows = rows.getVirtualItems();
  const first = visibleRows[0]?.index ?? 0;
  const last = visibleRows.at(-1)?.index ?? 0;
  const id = useExperiment((s) => (s.view === null ? null : s.shown));
  const scrollDirection = rows.scrollDirection;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another experiment needs other rows.
  useEffect(() => {
    const ahead = (direction: typeof scrollDirection) => (scrollDirection === direction ? READ_AHEAD : 0);
    void need(first, last).then(() => need(Math.max(0, first - ahead("backward")), last + ahead("forward")));
  }, [need, first, last, id]);
  // When another experiment is shown, no cell is active. The active cell is not reset by an effect, since
  // effects also run when the page is shown again.
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
    // Unchanged rows call this function from an earlier render, so it reads the current selection.
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
  const before = cells[0]?.start ?? 0;
  const [from, to] = [cells[0]?.index ?? 0, (cells.at(-1)?.index ?? -1) + 1];
  // The list is memoized, so that during vertical scrolling neither the header nor unchanged rows re-render.
  const shownColumns = useMemo(
    () =>
      columns.slice(from, to).map(
        (column, i): ShownColumn => ({
          column,
          index: from + i,
          isFirst: column.group !== columns[from + i - 1]?.group,
        }),
      ),
    [columns, from, to],
  );
  const activeRow = active === null ? undefined : row(active.row);
  return (
    <section className={styles.box} aria-label="Cases">
      {/* biome-ignore lint/a11y/useSemanticElements: rows come and go with the view, which a table element does not allow. */}
      <div
        ref={box}
        className={styles.grid}
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
        <Head columns={shownColumns} before={before} width={width} count={count} selected={selected.size} />
        {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
        <div className={styles.body} role="rowgroup" style={{ height: rows.getTotalSize(), width }}>
          {visibleRows.map((item) => (
            <GridRow
              // Rows that scroll out are reused for those that scroll in.
              key={item.index % visibleRows.length}
              index={item.index}
              top={item.start}
              row={row(item.index)}
              columns={shownColumns}
              before={before}
              active={active?.row === item.index ? active.column : null}
              isSelected={selected.has(item.index)}
              onCell={onCell}
              onToggle={toggle}
            />
          ))}
        </div>
      </div>
      {beyond > 0 && (
        <p className={styles.beyond}>
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

interface HeadProps {
  columns: readonly ShownColumn[];
  /** The distance in pixels from the column of case ids to the first of `columns`, as in a row. */
  before: number;
  width: number;
  count: number;
  /** The number of selected cases. */
  selected: number;
}

const Head = memo(({ columns, before, width, count, selected }: HeadProps) => (
  // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: as above; the grid is focused.
  <div className={styles.head} role="row" aria-rowindex={1} style={{ width }}>
    {/* biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: as above. */}
    <div className={styles.case} role="columnheader" aria-colindex={1}>
      <input
        type="checkbox"
        aria-label="Select all cases"
        tabIndex={-1}
        checked={count > 0 && selected === count}
        onChange={(e) =>
          useExperiment.getState().select(e.target.checked ? Array.from({ length: count }, (_, i) => i) : [])
        }
      />
      Case
    </div>
    {columns.map(({ column, index, isFirst }, i) => (
      // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: as above.
      <div
        key={column.id}
        role="columnheader"
        aria-colindex={index + 2}
        className={classes(styles.title, column.isNumber && styles.number, isFirst && styles.first)}
        style={{ width: column.width, marginLeft: i === 0 ? before : undefined }}
      >
        {column.group !== null && <small className={isFirst ? "" : "sr-only"}>{column.group}</small>}
        <span {...tip(column.title)}>{column.title}</span>
      </div>
    ))}
  </div>
));
