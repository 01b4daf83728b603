// Which runs the list shows, and under which day. Pure.
import type { ExitReason, RunQuery, RunStatus, RunSummary } from "../../ipc/generated/bindings";
import { dayStart, formatDay } from "../../runs/words/format";

/** The spans of time that the list offers, in days; null is all of it. */
export const SPANS = [1, 7, 30, 365] as const;

export type Filter = {
  readonly search: string;
  readonly flow: string | null;
  readonly status: RunStatus | null;
  readonly exit: ExitReason | null;
  /** Only starred runs. */
  readonly starred: true | null;
  /** The batch of the store that is shown. */
  readonly batch: string | null;
  /** Only runs of the last so many days. */
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

/** What the store is asked for: `limit` runs from `offset` on. */
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

/** "24 hours", "7 days". */
export function spanLabel(days: number): string {
  if (days === 1) return "24 hours";
  return days === 365 ? "1 year" : `${days} days`;
}

/** Heights in pixels, as the stylesheet has them. */
export const ROW_HEIGHT = 58;
export const DAY_HEIGHT = 31;
/** A run that can be resumed has buttons under its two lines. */
export const RESUMABLE_EXTRA = 34;

/** Where everything of the list stands. `tops` has one more entry than there are rows: the end of the list. */
export type ListLayout = {
  readonly tops: Float64Array;
  /** The heading above a row, where a day begins with it. */
  readonly days: ReadonlyMap<number, string>;
};

/**
 * Places `total` rows under each other. Rows that are not read yet (`rowAt` gives undefined) take the room of a plain one
 * and begin no day, nor do forks that stand under their parent.
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

/** The rows that lie between `top` and `bottom`: the first, and the one behind the last. */
export function visibleRows({ tops }: ListLayout, top: number, bottom: number): [number, number] {
  const total = tops.length - 1;
  const first = lowerBound(tops, total, top) - 1;
  let end = Math.max(0, first);
  while (end < total && (tops[end] ?? 0) < bottom) end += 1;
  return [Math.max(0, first), end];
}

/** The first of the first `count` entries that is more than `value`, by halving. */
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
