// A run that waits, fails or ends in another tab is marked until the user looks at it.
import { act } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../components/testing";
import { useDocument } from "../document/document";
import { replaceBackend } from "../ipc/client";
import type { FlowDoc } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { foldAll } from "../runs/fold/reduce";
import { asksAt, events, runCompleted, runFailed, runStarted, started } from "../runs/fold/samples";
import { useRuns } from "../runs/session/store";
import { useSession } from "../session/session";
import { TabStrip } from "../shell/TabStrip";
import { followRunMarks, useTitleMark } from "./run-marks";
import { openInTab, showTab, useTabs } from "./tabs";

const page = pageForEach();
const flow = (name: string): FlowDoc => ({
  name,
  nodes: [{ id: "ask", type: "approval", position: { x: 0, y: 0 }, data: {} }],
  edges: [],
});
const waits = asksAt("ask");
let first = "";
let stop: () => void;

function Title() {
  return <h1>{useTitleMark()}</h1>;
}

/** Applies events to the run of the tab, whether the tab is active or not. */
const goes = (tab: string, ...more: Parameters<typeof events>[1][number][]) =>
  act(async () => {
    const state = foldAll("r1", events("r1", [runStarted(), started("ask"), ...more]));
    const view = { state, document: flow("One"), flowPath: null, live: true };
    if (tab === useTabs.getState().active) useRuns.setState({ live: view });
    else
      useRuns.setState((s) => {
        const runs = s.background[tab];
        return runs ? { background: { ...s.background, [tab]: { ...runs, live: view } } } : {};
      });
  });

beforeEach(async () => {
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  replaceBackend(testBackend());
  useRuns.setState({ live: null, past: null, background: {} });
  useTabs.setState({ tabs: [{ id: "first", inactive: null }], active: "first" });
  useDocument.getState().open({ document: flow("One"), path: null, version: null });
  useSession.setState({ toasts: [], view: "editor" });
  stop = followRunMarks();
  first = useTabs.getState().active;
  await goes(first);
  openInTab({ document: flow("Two"), path: null, version: null });
  await act(async () =>
    page.root.render(
      <>
        <Title />
        <TabStrip />
      </>,
    ),
  );
});
afterEach(() => {
  stop();
  vi.restoreAllMocks();
});

const dot = () =>
  page.host.querySelector('[aria-label="Open flows"] button > i:first-child')?.className ?? null;
const words = () =>
  page.host.querySelector('[aria-label="Open flows"] li > button')?.getAttribute("aria-label");
const title = () => page.host.querySelector("h1")?.textContent;
const toasts = () => useSession.getState().toasts.map((toast) => toast.title);

test("one that waits", async () => {
  expect(dot()).toContain("text-running");
  expect(title()).toBe("");
  await goes(first, waits);
  expect(dot()).toContain("text-warning");
  expect(words()).toContain("waits for your answer");
  expect(title()).toBe("(1 waits) ");
  expect(toasts()).toEqual(["“One” waits for your answer"]);
  await act(async () => useSession.getState().toasts[0]?.actions[0]?.run());
  expect(useTabs.getState().active).toBe(first);
  expect(toasts()).toEqual([]);
  // The mark stays until the question is answered, even while the tab is shown.
  expect(dot()).toContain("text-warning");
});

test("one that failed, until the tab is looked at", async () => {
  await goes(first, runFailed("failed", "http_500"));
  expect(dot()).toContain("text-error");
  expect(title()).toBe("(1 failed) ");
  expect(toasts()).toEqual(["“One” failed"]);
  await act(async () => showTab(first));
  expect(dot()).toBeNull();
  expect(title()).toBe("");
  expect(toasts()).toEqual([]);
});

test("one that is done, without a message", async () => {
  await goes(first, runCompleted());
  expect(dot()).toContain("text-ok");
  expect(words()).toContain("done");
  expect(title()).toBe("(1 done) ");
  expect(toasts()).toEqual([]);
});

test("one that ends before somebody's eyes, or that a person stopped, is not", async () => {
  await act(async () => showTab(first));
  await goes(first, runCompleted());
  expect([dot(), title()]).toEqual([null, ""]);
  await goes(first);
  await act(async () => showTab(useTabs.getState().tabs[1]?.id ?? ""));
  await goes(first, runFailed("cancelled", "cancelled"));
  expect([dot(), title(), toasts().length]).toEqual([null, "", 0]);
});

test("one that ends behind another window is in the title until that comes back", async () => {
  await act(async () => showTab(first));
  vi.spyOn(document, "hasFocus").mockReturnValue(false);
  await goes(first, runCompleted());
  expect(title()).toBe("(1 done) ");
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  await act(async () => void window.dispatchEvent(new Event("focus")));
  expect(title()).toBe("");
});
