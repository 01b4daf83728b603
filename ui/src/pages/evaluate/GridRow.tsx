// A row of the grid. Rows re-render constantly during scrolling, so each consists of as few elements as
// possible: cells are not positioned individually, and only a cell whose text may be too long is clipped.

import { memo } from "react";
import { classes } from "../../components/classes";
import { tip } from "../../components/tip";
import type { ExperimentRow } from "../../ipc/evaluation";
import type { CellText, Column } from "./columns";
import styles from "./DataGrid.module.css";
import { surelyFits } from "./text-width";

/** The width of the column with the case ids, in pixels. */
export const CASE_WIDTH = 150;
/** The horizontal padding of a cell, in pixels. */
const PADDING = 20;
/** The width of the checkbox and the gap after it, in pixels. */
const CHECKBOX = 24;

const UNREAD: CellText = { text: "" };

export interface ShownColumn {
  column: Column;
  index: number;
  /** Whether this is the first column of a variant. */
  isFirst: boolean;
}

interface RowProps {
  index: number;
  top: number;
  row: ExperimentRow | undefined;
  columns: readonly ShownColumn[];
  /** The distance in pixels from the column of case ids to the first of `columns`. */
  before: number;
  /** The active column; -1 for the case itself, null if no cell of this row is active. */
  active: number | null;
  isSelected: boolean;
  onCell(place: { row: number; column: number }, shift: boolean): void;
  onToggle(index: number): void;
}

/**
 * A row re-renders only if its content changes. Its handlers therefore read the current state when they are
 * called.
 */
export const GridRow = memo(
  ({ index, top, row, columns, before, active, isSelected, onCell, onToggle }: RowProps) => {
    const name = row?.case.id ?? "";
    return (
      // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: the grid is focused.
      <div
        role="row"
        aria-rowindex={index + 2}
        aria-selected={isSelected}
        aria-busy={row === undefined || undefined}
        className={styles.line}
        style={{ top }}
      >
        {/* biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: as above. */}
        <div
          id={`eval-cell-${index}--1`}
          role="rowheader"
          aria-colindex={1}
          className={classes(styles.case, active === -1 && styles.active)}
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
          <span className={surelyFits(name, CASE_WIDTH - PADDING - CHECKBOX) ? undefined : "clip-text"}>
            {name}
          </span>
        </div>
        {columns.map(({ column, index: at, isFirst }, i) => {
          // A row that is still loading already has its cells, since filling them is faster than creating
          // them.
          const { text, title, tone } = row === undefined ? UNREAD : column.read(row);
          const hasRun = column.cell !== null && Boolean(row?.cells[column.cell]?.runId);
          let look = `${styles.cell}`;
          if (column.isNumber) look += ` ${styles.number}`;
          if (tone) look += ` ${styles[tone]}`;
          if (active === at) look += ` ${styles.active}`;
          if (hasRun) look += ` ${styles.opens}`;
          if (isFirst) look += ` ${styles.first}`;
          if (!surelyFits(text, column.width - PADDING)) look += ` ${styles.long}`;
          return (
            // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the grid is focused, and its keys do the same.
            <div
              key={column.id}
              id={`eval-cell-${index}-${at}`}
              role="gridcell"
              aria-colindex={at + 2}
              className={look}
              style={
                i === 0 && before > 0 ? { width: column.width, marginLeft: before } : { width: column.width }
              }
              {...tip(title)}
              onClick={(event) => onCell({ row: index, column: at }, event.shiftKey)}
            >
              {text}
            </div>
          );
        })}
      </div>
    );
  },
  (a, b) =>
    a.index === b.index &&
    a.top === b.top &&
    a.row === b.row &&
    a.columns === b.columns &&
    a.before === b.before &&
    a.active === b.active &&
    a.isSelected === b.isSelected,
);
