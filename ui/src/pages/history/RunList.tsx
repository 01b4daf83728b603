// The left column of the history: search, filters, and the runs by day. Only visible rows are drawn, and only
// their pages are read.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import buttonStyles from "../../components/Button.module.css";
import { classes } from "../../components/classes";
import emptyStyles from "../../components/Empty.module.css";
import { TextField } from "../../components/fields";
import { Icon } from "../../components/Icon";
import searchListStyles from "../../components/SearchList.module.css";
import type { RunTally } from "../../ipc/generated/bindings";
import { useFirstWords } from "../../runs/words/first-words";
import { formatDuration, formatUsd, plural } from "../../runs/words/format";
import { testIds } from "../../testids";
import historyStyles from "../RunHistory.module.css";
import { deleteRun, openRun, starRun } from "./actions";
import { Filters } from "./Filters";
import {
  DAY_HEIGHT,
  isFiltered,
  type ListLayout,
  layoutList,
  NO_FILTER,
  ROW_HEIGHT,
  visibleRows,
} from "./filter";
import { depths } from "./forks";
import styles from "./RunList.module.css";
import { Resumable, RunRow } from "./RunRow";
import rowStyles from "./RunRow.module.css";
import { indexOf, PAGE, rowAt, useHistory } from "./store";

/**
 * Rows up to this distance above and below the view are drawn too, in pixels, so that fast scrolling shows no
 * empty area.
 */
const BEYOND = 400;
const STEP = 200;

/** How long scrolling must have stopped before more details of rows are loaded, in milliseconds. */
const SCROLLED_MS = 120;

/** The delay between the last key and a search, in milliseconds. */
const TYPING_MS = 150;

/** Describes what the matching runs cost. If no price is known, says so, unless every run was free. */
function spentOf({ runs, spentUsd }: RunTally, isFree: boolean): string {
  if (spentUsd !== null) return `${formatUsd(spentUsd)} spent`;
  if (runs === 0) return "nothing spent";
  return isFree ? "free" : "cost not known";
}

/** Returns whether every matching run is loaded and none had a cost. */
function useIsFree(): boolean {
  const pages = useHistory((s) => s.pages);
  const tally = useHistory((s) => s.tally);
  return useMemo(() => {
    if (tally === null || tally.spentUsd !== null) return false;
    const read = [...pages.values()].flat();
    return read.length >= tally.runs && read.every(({ usage }) => usage.calls === 0 || usage.cost_usd === 0);
  }, [pages, tally]);
}

export function RunList() {
  const tally = useHistory((s) => s.tally);
  const isFree = useIsFree();
  return (
    <>
      <Search />
      <Filters />
      <div className={styles.sum} aria-live="polite">
        <span>{tally === null ? "" : plural(tally.runs, "run")}</span>
        <span>{tally === null ? "" : spentOf(tally, isFree)}</span>
        <span>median {formatDuration(tally?.medianMs ?? null)}</span>
      </div>
      <Rows />
    </>
  );
}

function Search() {
  const wanted = useHistory((s) => s.filter.search);
  const [typed, setTyped] = useState(wanted);
  const box = useRef<HTMLDivElement>(null);
  // When the filter is cleared elsewhere, the field is cleared too.
  useEffect(() => setTyped(wanted), [wanted]);
  useEffect(() => {
    if (typed === useHistory.getState().filter.search) return;
    const timer = setTimeout(() => useHistory.getState().setFilter({ search: typed }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const typing = e.target instanceof Element && e.target.closest("input, textarea, select") !== null;
      if (e.key !== "/" || typing || e.ctrlKey || e.metaKey || e.altKey) return;
      e.preventDefault();
      box.current?.querySelector("input")?.focus();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <div className={classes(searchListStyles.searchBox, styles.search)} ref={box}>
      <Icon name="search" />
      <TextField
        type="search"
        label="Search runs, inputs and outputs"
        placeholder="Search runs, inputs and outputs"
        bare
        testId="run-search"
        value={typed}
        onChange={setTyped}
      />
      <kbd>/</kbd>
    </div>
  );
}

/** Returns the visible range of the list in pixels, and the scrolling element. */
function useScroll() {
  const list = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const look = () => {
      // The position is rounded to multiples of `STEP`. Rows beyond the view are already drawn, so most
      // frames of a scroll render nothing.
      const top = Math.floor(element.scrollTop / STEP) * STEP;
      const height = element.clientHeight;
      setSeen((seen) => (seen.top === top && seen.height === height ? seen : { top, height }));
    };
    look();
    const watch = new ResizeObserver(look);
    watch.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      watch.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  return { list, ...seen };
}

/** Returns whether a key acts on the selected run: Delete, F2 (rename) or S (star). */
const isOfRun = (e: { key: string; ctrlKey: boolean; metaKey: boolean; altKey: boolean }): boolean =>
  ["Delete", "F2", "s"].includes(e.key) && !e.ctrlKey && !e.metaKey && !e.altKey;

function Rows() {
  const { list, top, height } = useScroll();
  const pages = useHistory((s) => s.pages);
  const tally = useHistory((s) => s.tally);
  const filter = useHistory((s) => s.filter);
  const selected = useHistory((s) => s.selected);
  const compared = useHistory((s) => s.compared);
  const { select, loadPage, setFilter, setNaming } = useHistory.getState();
  const total = tally?.runs ?? 0;
  const deep = useMemo(() => depths(pages.values()), [pages]);
  const layout = useMemo(
    () =>
      layoutList(
        total,
        (i) => rowAt(pages, i),
        Date.now(),
        (id) => deep.has(id),
      ),
    [total, pages, deep],
  );
  const [first, end] = visibleRows(layout, top - BEYOND, top + height + BEYOND);
  useEffect(() => {
    for (let page = Math.floor(first / PAGE); page * PAGE < end; page += 1) loadPage(page);
  }, [first, end, loadPage]);
  useEffect(() => {
    const timer = setTimeout(() => {
      const seen = Array.from({ length: Math.max(0, end - first) }, (_, i) => rowAt(pages, first + i));
      useFirstWords.getState().want(seen.flatMap((run) => (run ? run.runId : [])));
    }, SCROLLED_MS);
    return () => clearTimeout(timer);
  }, [first, end, pages]);
  // New search results are shown from the top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter gives another list.
  useEffect(() => {
    if (list.current) list.current.scrollTop = 0;
  }, [filter]);
  // A run that was selected elsewhere, such as the running one, is scrolled into view once it is loaded. In
  // all other cases the scroll position is kept.
  const brought = useRef(selected);
  useEffect(() => {
    const at = indexOf(pages, selected);
    if (selected === brought.current || at < 0) return;
    brought.current = selected;
    bringIntoView(list.current, layout, at);
  }, [selected, pages, layout, list]);
  const move = (to: number) => {
    const at = Math.max(0, Math.min(total - 1, to));
    const run = rowAt(useHistory.getState().pages, at);
    bringIntoView(list.current, layout, at);
    if (run) select(run.runId);
  };
  const mark = (runId: string) =>
    compared === null ? null : runId === selected ? "A" : runId === compared ? "B" : null;
  const visibleIndexes = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
  return (
    <div ref={list} className={styles.list}>
      <div
        className={styles.space}
        style={{ height: layout.tops[total] ?? 0 }}
        role="listbox"
        tabIndex={0}
        aria-label="Runs"
        aria-activedescendant={selected === null ? undefined : `run-${selected}`}
        onKeyDown={(e) => {
          const at = indexOf(pages, selected);
          const moves: Record<string, number> = {
            ArrowDown: at + 1,
            ArrowUp: at - 1,
            Home: 0,
            End: total - 1,
          };
          const to = moves[e.key];
          if (to !== undefined) move(to);
          else if (e.key === "PageDown" || e.key === "PageUp") move(at + (e.key === "PageDown" ? 10 : -10));
          else if (e.key === "Enter" && selected !== null) void openRun(selected);
          else if (isOfRun(e) && at >= 0) {
            const run = rowAt(pages, at);
            if (run && e.key === "Delete") void deleteRun(run);
            else if (run && e.key === "F2") setNaming(run.runId);
            else if (run) void starRun(run, !run.starred);
          } else return;
          e.preventDefault();
        }}
      >
        {visibleIndexes.map((index) => {
          const y = layout.tops[index] ?? 0;
          const day = layout.days.get(index);
          const run = rowAt(pages, index);
          return (
            <div key={run?.runId ?? index} role="presentation">
              {day !== undefined && (
                <div className={styles.day} role="presentation" style={{ top: y - DAY_HEIGHT }}>
                  {day}
                </div>
              )}
              {run === undefined ? (
                <div
                  className={classes(rowStyles.run, rowStyles.reading)}
                  style={{ top: y }}
                  role="presentation"
                  data-testid={testIds.runReading}
                />
              ) : (
                <RunRow
                  run={run}
                  top={y}
                  index={index}
                  total={total}
                  depth={deep.get(run.runId) ?? 0}
                  selected={run.runId === selected}
                  mark={mark(run.runId)}
                />
              )}
            </div>
          );
        })}
      </div>
      {visibleIndexes.map((index) => {
        const run = rowAt(pages, index);
        if (run?.status !== "interrupted") return null;
        return <Resumable key={run.runId} run={run} top={(layout.tops[index] ?? 0) + ROW_HEIGHT} />;
      })}
      {tally !== null && total === 0 && !isFiltered(filter) && <NoRuns />}
      {tally !== null && total === 0 && isFiltered(filter) && (
        <div className={classes(emptyStyles.empty, historyStyles.nothing)}>
          No run matches.
          <button type="button" className={buttonStyles.linkButton} onClick={() => setFilter(NO_FILTER)}>
            Clear the filters
          </button>
        </div>
      )}
    </div>
  );
}

/** Shows that the chosen store has no runs. For a shared store, shows how to submit some. */
function NoRuns() {
  const where = useHistory((s) => s.where);
  const isRead = useHistory((s) => s.failure === null);
  if (!isRead) return null;
  return (
    <div className={classes(emptyStyles.empty, historyStyles.nothing)}>
      <b>No runs yet</b>
      {where === null ? (
        "Every run is kept here with all its iterations."
      ) : (
        <>
          <span>Submit some with:</span>
          <code>loopwright submit FLOW --store {where} --inputs data.jsonl</code>
        </>
      )}
    </div>
  );
}

function bringIntoView(list: HTMLElement | null, layout: ListLayout, index: number): void {
  if (!list) return;
  const top = (layout.tops[index] ?? 0) - (layout.days.has(index) ? DAY_HEIGHT : 0);
  const bottom = layout.tops[index + 1] ?? top;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
}
