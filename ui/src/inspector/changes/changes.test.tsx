// The changed files of a loop's iterations: in the timeline and the panel, in the large view, and applied.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { choose, pageForEach } from "../../components/testing";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import { ApiFailure, type Backend, replaceBackend } from "../../ipc/client";
import type { ChangedFile, FileChanges, FileTexts } from "../../ipc/generated/bindings";
import {
  appliedAsBranch,
  changes,
  conflict,
  repairs,
  workspace,
} from "../../ipc/generated/recorded/workspace";
import { testBackend } from "../../ipc/testing";
import { repairsId } from "../../ipc/testing/workspaces";
import { foldAll } from "../../runs/fold/reduce";
import { useRuns } from "../../runs/session/store";
import { forkFiles } from "../../runs/workspace/fork-files";
import { joined, useWorkspaces } from "../../runs/workspace/loop-workspace";
import { testWords } from "../../runs/workspace/test-words";
import { useChosenIteration } from "../../session/chosen-iteration";
import { useInspectorView } from "../../session/inspector-view";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import { RunInspector } from "../run/RunInspector";
import { Timeline } from "../timeline/Timeline";
import { ApplyDialog } from "./ApplyDialog";
import { ChangesDialog } from "./ChangesDialog";
import { fileKey, statesOf, useChanges } from "./store";
import { hiddenWords, modeWords, notesOf, partsOf, totalWords } from "./words";

const page = pageForEach();
const { document: flow } = repairs.detail;
const byId = (id: string) => page.host.querySelector<HTMLElement>(`[data-testid="${id}"]`);
const textOf = (id: string) => byId(id)?.textContent ?? "";
const click = (element: Element | null | undefined) =>
  act(async () => {
    if (!(element instanceof HTMLElement)) throw new Error("there is nothing to click");
    element.click();
  });
const radio = (label: string) =>
  [...page.host.querySelectorAll('[role="radio"]')].find((one) => one.textContent === label);
const eventually = (check: () => void) =>
  vi.waitFor(async () => {
    await act(() => new Promise((done) => setTimeout(done, 5)));
    check();
  });
const file = (states: string, name: string): ChangedFile => {
  const found = changes[states]?.files.find((one) => one.name === name);
  if (!found) throw new Error(`${name} is not recorded`);
  return found;
};

async function show(changed: Partial<Backend> = {}): Promise<void> {
  replaceBackend({ ...testBackend(), ...changed });
  await useKinds.getState().load();
  useDocument.getState().open({ document: flow, path: null, version: null });
  useSession.getState().setLayout("run");
  useSession.getState().select(["repair"]);
  useRuns.setState({
    live: { state: foldAll(repairsId, repairs.events), document: flow, flowPath: null, live: true },
    past: null,
  });
  await act(async () =>
    page.root.render(
      <>
        <Timeline />
        <RunInspector nodeId="repair" />
        <ChangesDialog />
        <ApplyDialog />
      </>,
    ),
  );
}

beforeEach(() => {
  useWorkspaces.setState({ known: {} });
  useChanges.setState({ comparison: "iteration", open: null, applying: null, file: null, layout: "unified" });
  useChosenIteration.setState({ chosen: { repair: 1 } });
  useInspectorView.setState({ tab: "changes" });
});

test("the timeline says what each iteration changed", async () => {
  await show();
  const [first] = workspace.iterations;
  await eventually(() => expect(textOf(testIds.segmentFiles(1))).toContain(`+${first?.insertions}`));
  expect(textOf(testIds.segmentFiles(1))).toBe(
    `${first?.filesChanged} files +${first?.insertions} −${first?.deletions}`,
  );
  expect(textOf(testIds.timelineSegment(2))).toContain("1 file +1 −1");
});

test("an iteration that still runs is not said to have changed no file", async () => {
  const ends = repairs.events.findIndex((event) => event.type === "workflow.loop.iteration_completed");
  const events = (count: number) => ({
    ...{ document: flow, flowPath: null, live: true },
    state: foldAll(repairsId, repairs.events.slice(0, count)),
  });
  const nothing = { iteration: 1, filesChanged: 0, insertions: 0, deletions: 0, tests: null };
  const read = vi.fn(async () => ({ ...workspace, iterations: [nothing] }));
  await show({ loopWorkspace: read });
  act(() => useRuns.setState({ live: events(ends) }));
  useWorkspaces.setState({ known: {} });
  await eventually(() => expect(Object.values(useWorkspaces.getState().known)).toHaveLength(1));
  expect(byId(testIds.timelineSegment(1))?.dataset.status).toBe("running");
  expect(textOf(testIds.segmentFiles(1))).toBe("");
  expect(textOf(testIds.timelineSegment(1))).not.toContain("no file changed");
  // When the loop has ended, the files are read once more.
  const before = read.mock.calls.length;
  act(() => useRuns.setState({ live: events(ends + 1) }));
  expect(byId(testIds.timelineSegment(1))?.dataset.status).toBe("completed");
  expect(textOf(testIds.segmentFiles(1))).toBe("");
  await eventually(() => expect(read.mock.calls.length).toBeGreaterThan(before));
  expect(textOf(testIds.segmentFiles(1))).toBe("none");
  expect(textOf(testIds.timelineSegment(1))).toContain("no file changed");
});

test("the timeline marks an iteration that changed tests", async () => {
  await show();
  const said = "1 test deleted, 1 skipped";
  await eventually(() => expect(textOf(testIds.segmentTests(1))).toBe(said));
  expect(textOf(testIds.segmentTests(2))).toBe("");
  expect(textOf(testIds.timelineSegment(1))).toContain(`, tests: ${said}`);
  const [row] = page.host.querySelectorAll(`[data-testid="${testIds.segmentTests(1)}"]`);
  expect(row?.getAttribute("data-tip")).toBe(`${said}.\nnumbers.test.js`);
  // A loop without changed tests has no such row.
  const iterations = workspace.iterations.map((files) => ({ ...files, tests: null }));
  await show({ loopWorkspace: async () => ({ ...workspace, iterations }) });
  await act(async () => useWorkspaces.setState({ known: {} }));
  await eventually(() => expect(textOf(testIds.segmentFiles(1))).toContain("files"));
  expect(byId(testIds.segmentTests(1))).toBeNull();
});

test("the panel says how tests were changed, and marks their files", async () => {
  await show();
  await eventually(() => expect(textOf(testIds.changedTests)).toBe("Tests: 1 test deleted, 1 skipped."));
  const labels = [...page.host.querySelectorAll('[role="option"] .sr-only')].map((one) => one.textContent);
  expect(labels).toContain("Edited, numbers.test.js, +1 −2, Test file");
  await act(async () => useChosenIteration.getState().choose("repair", 2));
  await eventually(() => expect(textOf(testIds.changesTotal)).toBe("1 file, +1 −1 lines"));
  expect(byId(testIds.changedTests)).toBeNull();
});

test("changed tests are one sentence", () => {
  const none = { total: 0, names: [] };
  const counts = { added: 0, deleted: 0, skipped: 0, only: 0, fewerAssertions: 0 };
  const found = { tests: counts, testFiles: none, configuration: none, notRead: 0 };
  const files = (total: number, ...names: string[]) => ({ total, names });
  expect(testWords({ ...found, tests: { ...counts, deleted: 3, skipped: 1 } })).toBe(
    "3 tests deleted, 1 skipped",
  );
  expect(testWords({ ...found, tests: { ...counts, skipped: 1, only: 2, fewerAssertions: 1 } })).toBe(
    "1 test skipped, 2 tests marked to run alone, 1 assertion fewer",
  );
  expect(
    testWords({ ...found, testFiles: files(5, "a", "b", "c", "d"), configuration: files(1, "x\u202e") }),
  ).toBe("5 test files changed: a, b, c and 2 more; test configuration changed: x\\u{202e}");
  expect(testWords({ ...found, notRead: 20 })).toBe("20 unread files that may have tests");
});

test("the panel lists the files of the chosen iteration, of the whole loop, and of any two states", async () => {
  await show();
  const whole = changes["0 1"];
  if (!whole) throw new Error("no changes are recorded");
  await eventually(() => expect(textOf(testIds.changesTotal)).toBe(totalWords(whole)));
  const rows = () => [
    ...page.host.querySelectorAll<HTMLElement>(
      '[role="listbox"][aria-label="Changed files"] > [role="option"]',
    ),
  ];
  expect(rows().map((row) => row.dataset.change)).toEqual(changes["0 1"]?.files.map((one) => one.change));
  const labels = rows().map((row) => row.querySelector(".sr-only")?.textContent);
  expect(labels).toContain("Renamed, src/new.txt, was src/old.txt, +0 −0");
  expect(labels).toContain("Added, image.bin, not text");
  expect(labels).toContain("Edited, run.sh, +0 −0, Made executable.");
  await act(async () => useChosenIteration.getState().choose("repair", 2));
  await eventually(() => expect(textOf(testIds.changesTotal)).toBe("1 file, +1 −1 lines"));
  await click(radio("Whole loop"));
  await eventually(() => expect(rows()).toHaveLength(changes["0 2"]?.files.length ?? 0));
  await click(radio("Compare…"));
  const after = byId(testIds.changesTo);
  if (!after) throw new Error("the states cannot be chosen");
  await choose(after, "1");
  await eventually(() => expect(rows()).toHaveLength(changes["0 1"]?.files.length ?? 0));
});

test("the keyboard reaches each file, and Enter opens its difference", async () => {
  await show();
  const rows = () => [
    ...(byId(testIds.changedFiles)?.querySelectorAll<HTMLElement>('[role="option"]') ?? []),
  ];
  await eventually(() => expect(rows().length).toBeGreaterThan(3));
  const press = (key: string) =>
    act(async () =>
      document.activeElement?.dispatchEvent(
        new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }),
      ),
    );
  expect(rows().filter((row) => row.tabIndex === 0)).toHaveLength(1);
  act(() => rows()[0]?.focus());
  await press("End");
  expect(document.activeElement).toBe(rows().at(-1));
  await press("Home");
  await press("ArrowDown");
  expect(document.activeElement).toBe(rows()[1]);
  await press("Enter");
  expect(byId(testIds.changesDialog)).not.toBeNull();
  expect(useChanges.getState().file).toBe(fileKey(changes["0 1"]?.files[1] as ChangedFile));
});

test("the difference of a file is shown unified and side by side", async () => {
  await show();
  await eventually(() => expect(byId(testIds.changedFile)).not.toBeNull());
  const of = { runId: repairsId, path: "repair", shown: 1, count: 3 };
  await act(async () => useChanges.getState().show(of, fileKey(file("0 1", "src/main.rs"))));
  const diff = () => byId("changes-diff");
  await eventually(() => expect(diff()?.querySelector(".cm-deletedChunk")?.textContent).toContain("early"));
  expect(diff()?.querySelector(".cm-content")?.textContent).toContain("late");
  expect(diff()?.querySelector(".cm-content")?.getAttribute("aria-label")).toBe("src/main.rs, changes");
  // Long unchanged parts are folded, and the keyboard opens them.
  const fold = () => diff()?.querySelector<HTMLElement>(".cm-collapsedLines");
  await eventually(() => expect(fold()?.getAttribute("role")).toBe("button"));
  await eventually(() => expect(diff()?.querySelector(".tok-keyword")).not.toBeNull());
  await act(async () =>
    fold()?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true })),
  );
  expect(fold()).toBeNull();
  await click(radio("Side by side"));
  await eventually(() => expect(diff()?.querySelectorAll(".cm-content")).toHaveLength(2));
  await act(async () => useChanges.getState().pick(fileKey(file("0 1", "image.bin"))));
  await eventually(() =>
    expect(textOf("changes-hidden")).toBe("The contents are not shown. After: not text, 3 bytes."),
  );
});

test("a result is applied as a branch, and the dialog says what to type", async () => {
  const applyIteration = vi.fn<Backend["applyIteration"]>(async () => appliedAsBranch);
  await show({ applyIteration });
  await eventually(() => expect(byId(testIds.applyButton)).not.toBeNull());
  await click(byId(testIds.applyButton));
  const name = page.host.querySelector<HTMLInputElement>("#apply-name");
  expect(name?.value).toBe("loopwright/repairs");
  await eventually(() => expect(textOf("apply-files")).toContain("image.bin"));
  await click(byId("apply-squash"));
  await click(byId(testIds.applyRun));
  expect(applyIteration).toHaveBeenCalledWith(repairsId, "repair", 1, {
    kind: "branch",
    name: "loopwright/repairs",
    squash: true,
  });
  await eventually(() => expect(textOf("apply-done")).toContain("git switch loopwright/repairs"));
  expect(textOf("apply-done")).toContain("Nothing else was changed.");
});

test("the result is proposed where it is not the last iteration", async () => {
  const applyIteration = vi.fn<Backend["applyIteration"]>(async () => appliedAsBranch);
  const workspaceChanges = vi.fn<Backend["workspaceChanges"]>(async () => changes["0 1"] as FileChanges);
  await show({
    applyIteration,
    workspaceChanges,
    loopWorkspace: async () => ({ ...workspace, result: { iteration: 2, isWhole: false } }),
  });
  await act(async () => useChosenIteration.getState().choose("repair", 3));
  await eventually(() => expect(byId(testIds.applyButton)).toHaveProperty("disabled", false));
  await click(byId(testIds.applyButton));
  const chosen = byId("apply-iteration");
  expect(chosen?.textContent).toContain("The result: iteration 2, before its last steps");
  await eventually(() => expect(workspaceChanges).toHaveBeenCalledWith(repairsId, "repair", 0, null));
  await click(byId(testIds.applyRun));
  expect(applyIteration.mock.calls[0]?.[2]).toBeNull();
});

test("a conflict is said before anything is applied", async () => {
  const applyIteration = vi.fn<Backend["applyIteration"]>();
  await show({
    applyIteration,
    planApply: async () => {
      throw new ApiFailure(conflict);
    },
  });
  await eventually(() => expect(byId(testIds.applyButton)).not.toBeNull());
  await click(byId(testIds.applyButton));
  await click(radio("Into my files"));
  await eventually(() => expect(textOf(testIds.applyDialog)).toContain(conflict.message));
  expect(byId(testIds.applyRun)).toHaveProperty("disabled", true);
  expect(applyIteration).not.toHaveBeenCalled();
});

test("a workspace that was removed is said in words", async () => {
  const problem = "Run 1 has no workspace on this computer.";
  await show({ loopWorkspace: async () => ({ ...workspace, iterations: [], problem }) });
  await eventually(() => expect(textOf("changes-problem")).toBe(problem));
});

test("more files than are listed are counted", async () => {
  const recorded = changes["0 1"];
  if (!recorded) throw new Error("no changes are recorded");
  const [one] = recorded.files;
  const files = Array.from({ length: 600 }, (_, i) => ({ ...one, name: `many/${i}.txt` }) as ChangedFile);
  await show({ workspaceChanges: async () => ({ ...recorded, files, total: 7_000 }) });
  await eventually(() => expect(textOf(testIds.changes)).toContain("200 more files: search for them."));
  expect(textOf("changes-cut")).toContain("6,400 more files not listed here.");
});

test("the states of a comparison stay within the loop", () => {
  expect(statesOf({ comparison: "iteration", from: 0, to: 9 }, 2, 3)).toEqual({ from: 1, to: 2 });
  expect(statesOf({ comparison: "whole", from: 0, to: 9 }, 2, 3)).toEqual({ from: 0, to: 3 });
  expect(statesOf({ comparison: "other", from: 2, to: 9 }, 2, 3)).toEqual({ from: 2, to: 3 });
});

test("iterations that have ended are not counted again", () => {
  const [one, two] = workspace.iterations;
  if (!one || !two) throw new Error("two iterations are recorded");
  const later = { ...two, insertions: 99 };
  expect(joined([one, two], [later], 2)).toEqual([one, later]);
});

test("a fork says with which files it starts", () => {
  const words = (at: string) => forkFiles(flow, at)?.words;
  expect(words("repair[3]")).toBe("The fork starts with the files after iteration 2.");
  expect(words("repair[1]")).toBe("The fork starts with the files that the loop started with.");
  expect(words("repair[2]/fix")).toBe("The fork starts with the files as they were before this step.");
  expect(words("repair")).toBeUndefined();
  expect(words("task")).toBeUndefined();
});

const text = (of: string, isLossy = false) => ({ kind: "text", text: of, isLossy }) as const;

test("what a text does not show is said in words", () => {
  const edited = file("1 2", "numbers");
  const notes = (texts: FileTexts, changed: Partial<ChangedFile> = {}) =>
    notesOf({ ...edited, ...changed }, texts);
  expect(notes({ before: text("a"), after: text("b") })).toEqual([]);
  expect(notes({ before: text("a\r\nb\r\n"), after: text("a\nb\n") })).toEqual([
    "Only the line endings differ.",
  ]);
  expect(notes({ before: text("a"), after: text("b", true) })).toEqual([
    "The file is not UTF-8. Invalid bytes are shown as \u{fffd}.",
  ]);
  expect(modeWords(file("0 1", "run.sh"))).toBe("Made executable.");
  const link = { kind: "link", hash: "a" } as const;
  expect(modeWords({ ...edited, after: link })).toBe("Was a file, is a link now.");
  const large = { kind: "tooLarge", bytes: 3_000_000 } as const;
  expect(hiddenWords({ before: { kind: "absent" }, after: large })).toBe(
    "The contents are not shown. After: too large to show, 3 MB.",
  );
  expect(hiddenWords({ before: text("a"), after: { kind: "longLine", bytes: 200_000 } })).toBe(
    "The contents are not shown. Before: text. After: with a line of more than 100,000 characters, 200 kB.",
  );
  expect(partsOf("a/b/c.ts")).toEqual({ folder: "a/b/", name: "c.ts" });
});
