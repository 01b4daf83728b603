// The listed runs and their days. Pure.
import type { ExitReason, RunQuery, RunStatus, RunSummary } from "../../ipc/generated/bindings";
import { dayStart, formatDay } from "../../runs/words/format";

/** The time spans offered by the list, in days; null for all time. */
export const SPANS = [1, 7, 30, 365] as const;

export type Filter = {
  readonly search: string;
  readonly flow: string | null;
  readonly status: RunStatus | null;
  readonly exit: ExitReason | null;
  /** True to list only starred runs, null for all. */
  readonly starred: true | null;
  /** The name of the batch, in the shown store, whose runs are listed. */
  readonly batch: string | null;
  /** The number of past days whose runs are listed; null for all days. */
  readonly days: number | null;
};

export const NO_FILTER: Filter = {
  search: "",
  flow: null,
  status: null,
  exit: null,
  starred: null,
  batch: null,
  days: null,
};

const DAY_MS = 86_400_000;

/** Returns the store query for `limit` runs starting at `offset`. */
export function toQuery(filter: Filter, now: number, offset: number, limit: number): RunQuery {
  return {
    statuses: filter.status === null ? [] : [filter.status],
    exitReasons: filter.exit === null ? [] : [filter.exit],
    flow: filter.flow,
    since: filter.days === null ? null : now - filter.days * DAY_MS,
    until: null,
    text: filter.search,
    starred: filter.starred,
    batch: filter.batch,
    limit,
    offset,
  };
}

export function isFiltered(filter: Filter): boolean {
  const { search, ...rest } = filter;
  return search.trim() !== "" || Object.values(rest).some((value) => value !== null);
}

/** Formats a time span: "24 hours", "7 days". */
export function spanLabel(days: number): string {
  if (days === 1) return "24 hours";
  return days === 365 ? "1 year" : `${days} days`;
}

/** The height of a row in pixels, as in the stylesheet. */
export const ROW_HEIGHT = 58;
export const DAY_HEIGHT = 31;
/** The extra height for the buttons of a run that can be resumed. */
export const RESUMABLE_EXTRA = 34;

/**
 * The vertical layout of the list, in pixels. `tops` has one entry for each row and one more for the end of
 * the list.
 */
export type ListLayout = {
  readonly tops: Float64Array;
  /** The headings of days, keyed by the index of the row below each. */
  readonly days: ReadonlyMap<number, string>;
};

/**
 * Lays out `total` rows. `rowAt` returns undefined for a row that is not loaded. Such a row gets the plain
 * height and no day heading. A fork below its parent gets no day heading either.
 */
export function layoutList(
  total: number,
  rowAt: (index: number) => RunSummary | undefined,
  now: number,
  isUnderParent: (runId: string) => boolean = () => false,
): ListLayout {
  const tops = new Float64Array(total + 1);
  const days = new Map<number, string>();
  const today = dayStart(now);
  let y = 0;
  let day: number | null = null;
  for (let i = 0; i < total; i += 1) {
    const run = rowAt(i);
    if (run !== undefined && !isUnderParent(run.runId)) {
      const began = Date.parse(run.startedAt);
      const own = Math.min(dayStart(began), today);
      if (own !== day) {
        days.set(i, formatDay(began, now));
        y += DAY_HEIGHT;
        day = own;
      }
    }
    tops[i] = y;
    y += ROW_HEIGHT + (run?.status === "interrupted" ? RESUMABLE_EXTRA : 0);
  }
  tops[total] = y;
  return { tops, days };
}

/**
 * Returns the range of rows between `top` and `bottom`: the index of the first, and the index after the last.
 */
export function visibleRows({ tops }: ListLayout, top: number, bottom: number): [number, number] {
  const total = tops.length - 1;
  const first = lowerBound(tops, total, top) - 1;
  let end = Math.max(0, first);
  while (end < total && (tops[end] ?? 0) < bottom) end += 1;
  return [Math.max(0, first), end];
}

/**
 * Returns the index of the first of the `count` leading entries that is greater than `value`, by binary
 * search.
 */
function lowerBound(tops: Float64Array, count: number, value: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tops[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
