// Reports the page's state to the shell, because the page's process can crash while runs continue. After a
// crash, the new page opens the same tabs with their drafts and follows the runs again. Edits are stored only
// in the drafts.
import { type InHand, outermost, unsaved, useDocument } from "../document/document";
import { api, errorMessage } from "../ipc/client";
import type { Draft, FlowDoc } from "../ipc/generated/bindings";
import { isUnfinished, type TabRuns, useRuns } from "../runs/session/store";
import { plural } from "../runs/words/format";
import { type Layout, useSession, type View } from "../session/session";
import { openDraft, openPathAgain, restoreSession, useLeftDrafts, writeDrafts } from "./drafts";
import { handOf, openInTab, showTab, type Tab, useTabs } from "./tabs";

/** The delay between a change and its report, in milliseconds. */
const PAUSE_MS = 300;

interface KeptTab {
  /** The id of the tab's outermost file, which is also the id of its draft. */
  id: string;
  path: string | null;
  /**
   * The document of a tab that has neither a file nor a draft, such as an unedited template. Otherwise null.
   */
  document: FlowDoc | null;
  layout: Layout;
  /**
   * The id of the most recently started run; `past` is the id of a reopened run that is shown in front of it.
   */
  run: string | null;
  past: string | null;
}

interface KeptView {
  view: View;
  /** The index of the active tab in `tabs`; −1 if that tab is empty. */
  active: number;
  tabs: KeptTab[];
}

function keptTab(tab: Tab): KeptTab | null {
  const hand = handOf(tab);
  const inHand = hand.suspended ?? hand;
  const file: Pick<InHand, "id" | "path" | "root" | "history" | "savedState"> = inHand.parents[0] ?? inHand;
  const { background, ...shown } = useRuns.getState();
  const runs: TabRuns | undefined = tab.inactive === null ? shown : background[tab.id];
  const isEmpty = file.path === null && file.root.nodes.length === 0 && !unsaved(file);
  if (isEmpty && !runs?.live && !runs?.past) return null;
  return {
    id: file.id,
    path: file.path,
    document: file.path === null && !unsaved(file) ? file.root : null,
    layout: tab.inactive?.layout ?? useSession.getState().layout,
    run: runs?.live?.state.runId || null,
    past: runs?.past?.state.runId || null,
  };
}

function shownNow(): KeptView {
  const { tabs, active } = useTabs.getState();
  const kept = tabs.map((tab) => ({ tab, kept: keptTab(tab) })).filter(({ kept }) => kept !== null);
  return {
    view: useSession.getState().view,
    active: kept.findIndex(({ tab }) => tab.id === active),
    tabs: kept.flatMap(({ kept }) => kept ?? []),
  };
}

/** Starts reporting the page's state to the shell. Returns a function that stops the reports. */
export function keepView(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let told: KeptView | null = null;
  const sameAsTold = (now: KeptView): boolean =>
    told !== null &&
    now.view === told.view &&
    now.active === told.active &&
    now.tabs.length === told.tabs.length &&
    now.tabs.every((tab, i) => {
      const before = told?.tabs[i];
      // An unchanged document is the same object.
      return (
        before !== undefined && (Object.keys(tab) as (keyof KeptTab)[]).every((k) => tab[k] === before[k])
      );
    });
  const tell = () => {
    timer = undefined;
    const now = shownNow();
    if (sameAsTold(now)) return;
    told = now;
    // If the report fails, a new page after a crash opens the files of the session instead.
    api()
      .keepView(JSON.stringify(now))
      .catch(() => undefined);
  };
  const soon = () => {
    timer ??= setTimeout(tell, PAUSE_MS);
  };
  soon();
  const stops = [useTabs, useDocument, useSession].map((store) => store.subscribe(soon));
  stops.push(
    useRuns.subscribe((s, before) => {
      // A run that has just begun is reported immediately, so that the new page knows it after a crash. Its
      // events need no report.
      if (s.live?.state.runId !== before.live?.state.runId) {
        clearTimeout(timer);
        tell();
      } else if (s.past?.state.runId !== before.past?.state.runId || s.background !== before.background)
        soon();
    }),
  );
  return () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  };
}

function isKeptView(value: unknown): value is KeptView {
  return typeof value === "object" && value !== null && Array.isArray((value as KeptView).tabs);
}

/** Returns the state of the previous page; null if this is the first page of the window. */
export async function viewBefore(): Promise<{ view: KeptView; crashed: boolean } | null> {
  try {
    const restored = await api().restoredView();
    if (restored === null) return null;
    const view: unknown = JSON.parse(restored.view);
    return isKeptView(view) ? { view, crashed: restored.crashed } : null;
  } catch {
    // Without the state of the previous page, the files of the session and the drafts are opened as at any
    // start.
    return null;
  }
}

/**
 * Reopens the content of a tab. Returns false if its file, its draft and its document are all unavailable.
 */
async function reopen(tab: KeptTab, drafts: readonly Draft[]): Promise<boolean> {
  const draft = drafts.find(({ id }) => id === tab.id);
  if (draft !== undefined) openDraft(draft);
  else if (tab.path !== null) return openPathAgain(tab.path);
  else if (tab.document !== null)
    openInTab({ document: tab.document, path: null, version: null, id: tab.id });
  else return false;
  return true;
}

/**
 * Follows active runs that no tab shows, because the page crashed before it could report them. Returns the
 * number of these runs.
 */
async function followOthers(): Promise<number> {
  const isShown = (runId: string) => {
    const { background, ...front } = useRuns.getState();
    return [front, ...Object.values(background)].some(({ live }) => live?.state.runId === runId);
  };
  const others = (
    await api()
      .goingRuns()
      .catch(() => [])
  ).filter(({ runId }) => !isShown(runId));
  const { active } = useTabs.getState();
  for (const { runId, flow, flowPath } of others) {
    const candidates = useTabs.getState().tabs.filter((tab) => {
      const { path, root } = outermost(handOf(tab));
      return path === flowPath && (path !== null || root.name === flow);
    });
    const [tab, ...more] = candidates;
    // If several tabs match the run, none is chosen; the user finds the run under Runs.
    if (tab === undefined || more.length > 0) continue;
    showTab(tab.id);
    if (isUnfinished(useRuns.getState().live)) continue;
    await useRuns
      .getState()
      .rejoin(runId)
      .catch(() => undefined);
    useSession.getState().setLayout("run");
  }
  showTab(active);
  return others.length;
}

/** Opens the tabs of the previous page and follows their runs again. */
export async function restoreView(before: { view: KeptView; crashed: boolean }): Promise<void> {
  try {
    await openView(before);
  } catch (error) {
    useSession.getState().toast({
      tone: "error",
      title: "The view could not be restored",
      detail: errorMessage(error),
    });
    await restoreSession();
  }
}

async function openView({ view, crashed }: { view: KeptView; crashed: boolean }): Promise<void> {
  const { toast, show, setLayout } = useSession.getState();
  const { drafts, notes } = await api().session();
  for (const title of notes) toast({ tone: "warn", title });
  const opened = new Map<number, string>();
  let continued = 0;
  for (const [place, tab] of view.tabs.entries()) {
    if (!(await reopen(tab, drafts))) continue;
    opened.set(place, useTabs.getState().active);
    setLayout(tab.layout);
    try {
      if (tab.run !== null) await useRuns.getState().rejoin(tab.run);
      if (isUnfinished(useRuns.getState().live)) continued += 1;
      if (tab.past !== null) await useRuns.getState().open(tab.past);
    } catch (error) {
      toast({ tone: "warn", title: "A run could not be shown again", detail: errorMessage(error) });
    }
  }
  const front = opened.get(view.active);
  if (front !== undefined) showTab(front);
  show(view.view);
  continued += await followOthers();
  await writeDrafts();
  const open = new Set(view.tabs.map(({ id }) => id));
  useLeftDrafts.setState({ drafts: drafts.filter(({ id }) => !open.has(id)) });
  if (!crashed) return;
  const runs = continued === 0 ? "" : ` ${plural(continued, "run", "runs")} continued.`;
  toast({
    tone: "warn",
    stays: true,
    title: "The view crashed and was restored",
    detail: `Unsaved changes were restored from their drafts.${runs}`,
  });
}
