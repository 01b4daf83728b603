// A loop repairs a private copy of a repository with an agent from Settings: the run is allowed once, the
// number of failures falls to 0, the user's own files stay as they are, and the form of the Loop shows the
// workspace. The changes of an iteration are read, the run is forked with its files, compared and applied as
// a branch, and the copies are cleaned up.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { byId, click, deselect, fill, runEnds, selectNode, wholeText } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { chooseOption, chooseOptionAt } from "../support/list";
import { isSound } from "../support/sound";
import { builtProgram, openWindow, remove, type Window } from "../support/window";

/** Reports in TAP which of two numbers in a file are right. */
const TESTS = `n=0
for wanted in 3 7; do
  n=$((n + 1))
  if [ "$(sed -n "\${n}p" numbers)" = "$wanted" ]; then echo "ok $n - number $n"; else echo "not ok $n - number $n"; failed=1; fi
done
echo "1..2"
exit \${failed:-0}
`;

/** Repairs the first number that is wrong. */
const AGENT = `#!/bin/sh
case "$(cat)" in *"write a note"*) echo noted > note.md ;; esac
if [ "$(sed -n 1p numbers)" = 3 ]; then sed -i 2s/.*/7/ numbers; else sed -i 1s/.*/3/ numbers; fi
echo repaired
`;

/** The prompt of the fork makes the agent write a note too. */
const NOTED = "Also write a note. {{ check.failures }}";

let window: Window;
let folder = "";
let project = "";
let dataDir = "";

const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], {
    cwd: project,
    encoding: "utf8",
  }).trim();

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "loopwright-e2e-"));
  project = path.join(folder, "project");
  dataDir = path.join(folder, "data");
  for (const made of [project, dataDir]) mkdirSync(made);
  writeFileSync(path.join(project, "tests.sh"), TESTS);
  writeFileSync(path.join(project, "numbers"), "1\n1\n");
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "start");
  const agent = path.join(folder, "agent.sh");
  writeFileSync(agent, AGENT);
  chmodSync(agent, 0o755);
  const settings = { agents: [{ name: "mine", command: agent }] };
  writeFileSync(path.join(dataDir, "settings.json"), JSON.stringify(settings));
  window = await openWindow({ display: inject("display"), folder });
});
afterAll(async () => {
  await window?.close();
  remove(folder);
});

test("a loop repairs a private copy of a repository", async () => {
  const { browser } = window;
  const flow = {
    name: "Repair",
    nodes: row(
      ["task", "input", { name: "task", default: "Repair the numbers." }],
      [
        "repair",
        "loop",
        {
          maxIterations: 5,
          exitCondition: "evaluator",
          workspace: { source: project, protect: ["tests.sh"] },
        },
      ],
      ["check", "check", { program: "sh", args: ["tests.sh"], report: "tap" }],
      ["exit", "exit"],
      ["fix", "agent", { runner: "mine", prompt: "{{ check.failures }}" }],
      ["fixed", "output", { name: "fixed" }],
    ),
    edges: wires(
      "task -> repair",
      "repair.body -> check",
      "check.passed -> exit",
      "check.failed -> fix.context",
      "fix.response -> repair.feedback",
      "exit -> fixed",
    ),
  };
  await openFile(window, writeFlow(window, "repair.json", flow));
  await click(browser, byId(testIds.runButton));
  const dialog = byId(testIds.trustDialog);
  await browser.$(dialog).waitForDisplayed({ timeout: 10_000, timeoutMsg: "no question is shown" });
  const asked = await wholeText(browser, dialog);
  expect(asked).toContain(`sh tests.sh in workspace:${project}`);
  expect(asked).toContain("works in a private copy of the folder");
  await window.picture("workspace-trust");
  await click(browser, byId(testIds.trustAllow));
  expect(await runEnds(browser)).toBe("done");
  const iterations = await Promise.all(
    [1, 2, 3].map((k) => wholeText(browser, byId(testIds.timelineSegment(k)))),
  );
  expect(iterations.map((text) => /\d+ failed/.exec(text)?.[0])).toEqual([
    "2 failed",
    "1 failed",
    "0 failed",
  ]);
  await window.picture("workspace-ran");
  expect(readFileSync(path.join(project, "numbers"), "utf8")).toBe("1\n1\n");
  expect(git("status", "--short")).toBe("");
});

const theme = (name: "dark" | "light") =>
  window.browser.execute((wanted) => {
    document.documentElement.dataset.theme = wanted;
  }, name);

/** Waits until the large view shows a difference with this text, and returns the whole text of the difference. */
const shownDiff = async (...wanted: string[]): Promise<string> => {
  const { browser } = window;
  let text = "";
  await browser.waitUntil(
    async () => {
      text = await wholeText(browser, byId("changes-diff")).catch(() => "");
      return wanted.every((one) => text.includes(one));
    },
    { timeout: 20_000, timeoutMsg: "the difference is not shown" },
  );
  return text;
};

const choice = (group: string, label: string, inside = "") =>
  `${inside}//*[@role="radiogroup" and @aria-label="${group}"]//*[@role="radio" and normalize-space()="${label}"]`;

test("the timeline and the panel show what an iteration changed", async () => {
  const { browser } = window;
  await browser.waitUntil(
    async () => (await wholeText(browser, byId(testIds.segmentFiles(2)))).includes("+1"),
    { timeout: 10_000, timeoutMsg: "the timeline shows no changed files" },
  );
  expect(await wholeText(browser, byId(testIds.segmentFiles(1)))).toMatch(/1 file\s*\+1\s*−1/);
  expect(await wholeText(browser, byId(testIds.timelineSegment(2)))).toContain("1 file +1 −1");
  await selectNode(browser, "repair");
  await click(browser, byId(testIds.timelineSegment(2)));
  await click(browser, byId(testIds.inspectorTab("changes")));
  await browser.$(byId(testIds.changesTotal)).waitForDisplayed({ timeout: 10_000 });
  expect(await wholeText(browser, byId(testIds.changesTotal))).toBe("1 file, +1 −1 lines");
  expect(await wholeText(browser, byId(testIds.changedFiles))).toContain("numbers");
  await isSound(browser, "changed files");
  await window.picture("changes-tab");
});

test("the changes of iteration 2 are read, unified and side by side, by the keyboard", async () => {
  const { browser } = window;
  await browser.execute((selector) => {
    document.querySelector<HTMLElement>(selector)?.focus();
  }, byId(testIds.changedFile));
  await browser.keys("Enter");
  await browser.$(byId(testIds.changesDialog)).waitForDisplayed();
  // The first number was repaired before.
  const unified = await shownDiff("7");
  expect(unified.replace(/\s+/g, "")).toContain("317");
  await isSound(browser, "changes, unified");
  await theme("dark");
  await window.picture("changes-unified-dark");
  await click(browser, choice("How the difference is shown", "Side by side"));
  await browser.$(`${byId("changes-diff")} .cm-merge-b`).waitForExist({ timeout: 10_000 });
  const sides = await Promise.all(
    ["a", "b"].map((side) => wholeText(browser, `${byId("changes-diff")} .cm-merge-${side} .cm-content`)),
  );
  expect(sides.map((side) => side.replace(/\s+/g, ""))).toEqual(["31", "37"]);
  await isSound(browser, "changes, side by side");
  await theme("light");
  await window.picture("changes-split-light");
  await theme("dark");
  await click(browser, choice("What is compared", "Compare…", "//dialog"));
  const within = byId(testIds.changesDialog);
  await chooseOption(browser, `${within} ${byId(testIds.changesFrom)}`, "0");
  await chooseOption(browser, `${within} ${byId(testIds.changesTo)}`, "2");
  await browser.waitUntil(
    async () => (await wholeText(browser, byId(testIds.changesDialog))).includes("+2 −2 lines"),
    { timeout: 10_000, timeoutMsg: "the two states are not compared" },
  );
  await browser.keys("Escape");
  await browser.$(byId(testIds.changesDialog)).waitForExist({ reverse: true });
  await click(browser, choice("What is compared", "Iteration 2"));
});

test("a fork starts with the files of its place", async () => {
  const { browser } = window;
  await selectNode(browser, "fix");
  await click(browser, byId(testIds.timelineSegment(2)));
  await click(browser, byId("fork-from-here"));
  await browser.$(byId("fork")).waitForDisplayed({ timeout: 10_000 });
  await click(browser, choice("What to edit", "Setting"));
  await chooseOption(browser, byId("fork-field"), "prompt");
  await fill(browser, byId("fork-value"), NOTED);
  expect(await wholeText(browser, byId("fork-files"))).toBe(
    "The fork starts with the files as they were before this step.",
  );
  await window.picture("changes-fork");
  await click(browser, byId("fork-run"));
  await browser.$(byId("fork")).waitForExist({ reverse: true, timeout: 10_000 });
  // With nothing selected, the panel shows the run.
  await deselect(browser);
  expect(await runEnds(browser)).toBe("done");
  await selectNode(browser, "repair");
  await click(browser, byId(testIds.inspectorTab("changes")));
  await click(browser, choice("What is compared", "Whole loop"));
  await browser.waitUntil(
    async () =>
      /numbers[\s\S]*note\.md|note\.md[\s\S]*numbers/.test(await wholeText(browser, byId(testIds.changes))),
    { timeout: 10_000, timeoutMsg: "the fork does not show its files" },
  );
  expect(git("status", "--short")).toBe("");
});

test("the result is applied as a branch", async () => {
  const { browser } = window;
  git("config", "user.name", "A");
  git("config", "user.email", "a@example.org");
  await click(browser, byId(testIds.applyButton));
  await browser.$(byId(testIds.applyDialog)).waitForDisplayed();
  await browser.$(byId("apply-files")).waitForDisplayed({ timeout: 10_000 });
  await isSound(browser, "apply");
  await theme("dark");
  await fill(browser, byId("apply-name"), "from-window");
  await window.picture("changes-apply");
  await click(browser, byId(testIds.applyRun));
  await browser.$(byId("apply-done")).waitForDisplayed({ timeout: 20_000 });
  const done = await wholeText(browser, byId("apply-done"));
  expect(done).toContain("The branch from-window has 2 commits.");
  expect(done).toContain("git switch from-window");
  await window.picture("changes-applied");
  await click(browser, byId("apply-close"));
  expect(git("show", "from-window:numbers")).toBe("3\n7");
  expect(git("show", "from-window:note.md")).toBe("noted");
  expect(git("log", "--format=%s", "from-window").split("\n")).toHaveLength(3);
  expect(git("status", "--short")).toBe("");
});

test("a conflict with the person's own changes changes nothing", async () => {
  const { browser } = window;
  writeFileSync(path.join(project, "numbers"), "5\n1\n");
  await click(browser, byId(testIds.applyButton));
  await browser.$(byId(testIds.applyDialog)).waitForDisplayed();
  await click(browser, choice("How the result is applied", "Into my files"));
  await browser.waitUntil(
    async () =>
      (await wholeText(browser, byId(testIds.applyDialog))).includes("changed both in the source folder"),
    { timeout: 20_000, timeoutMsg: "no conflict is shown" },
  );
  await window.picture("changes-conflict");
  expect(await browser.$(byId(testIds.applyRun)).isEnabled()).toBe(false);
  await browser.keys("Escape");
  await browser.$(byId(testIds.applyDialog)).waitForExist({ reverse: true });
  expect(readFileSync(path.join(project, "numbers"), "utf8")).toBe("5\n1\n");
  writeFileSync(path.join(project, "numbers"), "1\n1\n");
});

test("the form of the Loop has the workspace", async () => {
  const { browser } = window;
  await click(browser, byId(testIds.viewEdit));
  await selectNode(browser, "repair");
  const fold = browser.$(`${byId("fold-Workspace")} > summary`);
  await fold.scrollIntoView();
  await fold.click();
  await browser.$(`${byId("field-confine")}`).scrollIntoView();
  await window.picture("workspace-form");
  expect(await wholeText(browser, byId("field-protect"))).toContain("Protected files");
  expect(await browser.$(`${byId("field-source")} input`).getValue()).toBe(project);
});

test("the command line takes the result over as a branch", () => {
  const loopwright = (...args: string[]) =>
    execFileSync(builtProgram("loopwright"), ["--data-dir", dataDir, ...args], { encoding: "utf8" });
  git("config", "user.name", "A");
  git("config", "user.email", "a@example.org");
  loopwright("workspace", "apply", "last", "--as", "branch", "repaired");
  expect(git("show", "repaired:numbers")).toBe("3\n7");
  expect(git("log", "--format=%s", "repaired").split("\n")).toHaveLength(3);
});

test("the fork is compared with the run", async () => {
  const { browser } = window;
  await click(browser, byId(testIds.viewRuns));
  await browser.$('[data-testid^="run-row-"]').waitForDisplayed();
  await click(browser, '[data-testid^="run-row-"]');
  await browser.$(byId("compare-with")).waitForDisplayed({ timeout: 10_000 });
  await chooseOptionAt(browser, byId("compare-with"), 1);
  await browser.waitUntil(
    async () => (await wholeText(browser, byId("run-compare"))).includes("Also write a note."),
    {
      timeout: 10_000,
      timeoutMsg: "the runs are not compared",
    },
  );
  await window.picture("changes-compared");
});

test("the copies are listed and cleaned up in Settings", async () => {
  const { browser } = window;
  await browser.keys(["Control", ","]);
  await click(browser, byId("settings-files"));
  await browser.$(byId("workspace-row")).waitForDisplayed({ timeout: 10_000 });
  const rows = await browser.$$(byId("workspace-row")).map((one) => one.getText());
  expect(rows.map((text) => /Repair, repair[\s\S]*?(not applied|applied)$/m.exec(text)?.[1])).toEqual([
    "not applied",
    "applied",
  ]);
  await isSound(browser, "workspaces");
  await theme("light");
  await window.picture("changes-workspaces-light");
  await theme("dark");
  await click(browser, byId("clean-workspaces"));
  await browser.waitUntil(async () => (await browser.$$(byId("workspace-row")).length) === 1, {
    timeout: 20_000,
    timeoutMsg: "the applied copy is not removed",
  });
  // What was not applied is removed only after a question.
  await click(browser, '[aria-label^="Remove the workspace"]');
  await browser.$("dialog[open]").$("button=Remove it").click();
  await browser.$(byId("workspace-row")).waitForExist({ reverse: true, timeout: 20_000 });
  expect(git("for-each-ref", "refs/loopwright")).toBe("");
});
