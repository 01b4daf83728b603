// Marks for changes of runs that the user has not seen. They appear on the tab and in the window's title
// until the user looks at the run.
import { create } from "zustand";
import { fileName, useDocument } from "../document/document";
import { isUnfinishedStatus } from "../runs/fold/status";
import { type TabRuns, useRuns } from "../runs/session/store";
import { useSession } from "../session/session";
import { handOf, showTab, useTabs } from "./tabs";

/**
 * The mark of a run: running, waiting for a person, or ended (failed or done) while the user was not looking.
 */
export type RunMark = "running" | "waiting" | "failed" | "done";

/** The outcome of each run whose end the user has not seen, keyed by the id of the run. */
export const useUnseenEnds = create<{ readonly ends: Readonly<Record<string, "failed" | "done">> }>()(() => ({
  ends: {},
}));

/** Returns the mark of the live run in `runs`; null if nothing is marked. */
export function markOf(
  runs: Pick<TabRuns, "live"> | undefined,
  ends: Readonly<Record<string, "failed" | "done">>,
): RunMark | null {
  const state = runs?.live?.state;
  if (!state) return null;
  if (state.status === "waiting") return "waiting";
  return isUnfinishedStatus(state.status) ? "running" : (ends[state.runId] ?? null);
}

/** Returns whether the user is looking at the run of a tab. */
const isSeen = (tab: string): boolean =>
  useTabs.getState().active === tab &&
  useSession.getState().view === "editor" &&
  // A document without a window, as in component tests, counts as focused.
  document.hasFocus();

/** Yields the live run of each tab with the tab's id. */
function* runsOfTabs(s = useRuns.getState()) {
  const { active } = useTabs.getState();
  if (s.live) yield [active, s.live.state] as const;
  for (const [tab, { live }] of Object.entries(s.background)) if (live) yield [tab, live.state] as const;
}

function titleOfTab(id: string): string {
  const tab = useTabs.getState().tabs.find((one) => one.id === id);
  if (!tab) return "A run";
  const { path, root } = handOf(tab);
  return `“${fileName(path, root.name)}”`;
}

/** Shows a toast about a run that the user would otherwise miss behind another tab or page. */
function tell(tab: string, what: "waits for your answer" | "failed"): void {
  const { toast, dismiss, show } = useSession.getState();
  const id = toast({
    tone: "warn",
    stays: true,
    title: `${titleOfTab(tab)} ${what}`,
    actions: [
      {
        label: "Show",
        run: () => {
          dismiss(id);
          showTab(tab);
          show("editor");
          useSession.getState().setLayout("run");
        },
      },
    ],
  });
  notices.set(tab, id);
}

/** The toasts about runs, keyed by tab. They are dismissed when the tab is shown. */
const notices = new Map<string, number>();

/** The last known status of each run, to detect changes. */
const statuses = new Map<string, string>();

function noteChanges(): void {
  const present = new Set<string>();
  for (const [tab, { runId, status }] of runsOfTabs()) {
    if (runId === "") continue;
    present.add(runId);
    const before = statuses.get(runId);
    statuses.set(runId, status);
    if (before === undefined || before === status || isSeen(tab)) continue;
    if (status === "waiting") tell(tab, "waits for your answer");
    if (!isUnfinishedStatus(before as typeof status) || (status !== "completed" && status !== "failed"))
      continue;
    const end = status === "failed" ? "failed" : "done";
    useUnseenEnds.setState(({ ends }) => ({ ends: { ...ends, [runId]: end } }));
    if (end === "failed") tell(tab, "failed");
  }
  for (const runId of statuses.keys()) if (!present.has(runId)) statuses.delete(runId);
}

function noteSeen(): void {
  const { active } = useTabs.getState();
  if (!isSeen(active)) return;
  const notice = notices.get(active);
  if (notice !== undefined) useSession.getState().dismiss(notice);
  notices.delete(active);
  // A tab that has just come to the front gets its runs a moment later.
  const runs = useRuns.getState();
  const runId = (runs.background[active] ?? runs).live?.state.runId;
  const { ends } = useUnseenEnds.getState();
  if (runId === undefined || !(runId in ends)) return;
  const { [runId]: _, ...others } = ends;
  useUnseenEnds.setState({ ends: others });
}

/** Follows the runs of all tabs, until the returned function is called. */
export function followRunMarks(): () => void {
  window.addEventListener("focus", noteSeen);
  const stops = [
    useRuns.subscribe(noteChanges),
    useTabs.subscribe(noteSeen),
    useSession.subscribe((s, before) => {
      if (s.view !== before.view) noteSeen();
    }),
    () => window.removeEventListener("focus", noteSeen),
  ];
  return () => {
    for (const stop of stops) stop();
    statuses.clear();
    notices.clear();
  };
}

/** The text in the window's title for a mark and the number of runs that have it. */
const WORDS = {
  waiting: (count: number) => (count === 1 ? "1 waits" : `${count} wait`),
  failed: (count: number) => `${count} failed`,
  done: (count: number) => `${count} done`,
} as const;

/**
 * Returns the prefix of the window's title, such as "(1 waits) ": the most important mark of all tabs other
 * than "running", and the number of runs that have it. Returns an empty string if no run has such a mark.
 */
export function useTitleMark(): string {
  const { ends } = useUnseenEnds();
  useTabs((s) => s.active);
  useDocument((s) => s.place);
  const marks = useRuns((s) =>
    [s, ...Object.values(s.background)].map((runs) => markOf(runs, ends) ?? "").join(" "),
  ).split(" ");
  const found = (["waiting", "failed", "done"] as const).find((mark) => marks.includes(mark));
  if (found === undefined) return "";
  return `(${WORDS[found](marks.filter((mark) => mark === found).length)}) `;
}
