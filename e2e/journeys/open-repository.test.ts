// From a repository to a repaired copy without drawing: the folder is chosen on the start page, what was found there is
// corrected by pointer, and the flow runs until the command passes. `claude` is a script that repairs one number a turn.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  byId,
  click,
  commandList,
  deselect,
  fill,
  flowIsOpen,
  nodes,
  runEnds,
  selectNode,
  wholeText,
} from "../support/editor";
import { chooseOption } from "../support/list";
import { isSound } from "../support/sound";
import { openWindow, remove, type Window } from "../support/window";

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
const CLAUDE = `#!/bin/sh
if [ "$1" = --version ]; then echo '2.0.14 (Claude Code)'; exit; fi
cat > /dev/null
if [ "$(sed -n 1p numbers)" = 3 ]; then sed -i 2s/.*/7/ numbers; else sed -i 1s/.*/3/ numbers; fi
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s1","total_cost_usd":0.01,"usage":{"input_tokens":10,"output_tokens":5}}'
`;

const PACKAGE = { scripts: { test: "sh tests/all.sh" }, devDependencies: { "no-such-package": "1.0.0" } };

let window: Window;
let folder = "";
let project = "";

const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], {
    cwd: project,
    encoding: "utf8",
  }).trim();

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "loopwright-e2e-"));
  project = path.join(folder, "project");
  const bin = path.join(folder, "bin");
  mkdirSync(path.join(project, "tests"), { recursive: true });
  mkdirSync(bin);
  writeFileSync(path.join(project, "tests/all.sh"), TESTS);
  writeFileSync(path.join(project, "numbers"), "1\n1\n");
  writeFileSync(path.join(project, "package.json"), JSON.stringify(PACKAGE));
  writeFileSync(path.join(project, "package-lock.json"), "{}");
  writeFileSync(path.join(project, "Makefile"), "check:\n\tsh tests/all.sh\n");
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "start");
  writeFileSync(path.join(project, "notes"), "not committed\n");
  writeFileSync(path.join(bin, "claude"), CLAUDE);
  chmodSync(path.join(bin, "claude"), 0o755);
  window = await openWindow({
    display: inject("display"),
    folder,
    env: { PATH: `${bin}:${process.env.PATH}` },
  });
});
afterAll(async () => {
  await window?.close();
  remove(folder);
});

const dialog = byId(testIds.repositoryDialog);
const startButton = '//aside//button[contains(normalize-space(), "Open a repository…")]';
const theme = (name: "dark" | "light") =>
  window.browser.execute((wanted) => {
    document.documentElement.dataset.theme = wanted;
  }, name);

const isShown = async () => {
  const { browser } = window;
  await browser
    .$(byId("repository-about"))
    .waitForDisplayed({ timeout: 15_000, timeoutMsg: "the dialog does not show the project" });
};
const isGone = () => window.browser.$(dialog).waitForExist({ reverse: true, timeout: 10_000 });

test("the start page opens a repository, and shows what was found in it", async () => {
  const { browser } = window;
  window.answerDialog("");
  await click(browser, startButton);
  expect(await browser.$(dialog).isExisting()).toBe(false);
  window.answerDialog(project);
  await click(browser, startButton);
  await isShown();
  const about = await wholeText(browser, byId("repository-about"));
  expect(about).toContain(`${project}, branch main, with uncommitted changes`);
  await browser.waitUntil(
    async () => (await wholeText(browser, byId("repository-agent"))) === "Claude Code 2.0.14",
    { timeout: 15_000, timeoutMsg: "the agent is not shown with its version" },
  );
  expect(await browser.$(byId("repository-command")).getValue()).toBe("npm test");
  expect(await browser.$(byId("repository-setup")).getValue()).toBe("npm ci");
  expect(await wholeText(browser, dialog)).toContain("make checkMakefile");
  await isSound(browser, "open a repository");
  await theme("light");
  await window.picture("open-repository-light");
  await theme("dark");
  await window.picture("open-repository-dark");
  await browser.keys("Escape");
  await isGone();
});

test("what was found is corrected, and problems are shown at their fields", async () => {
  const { browser } = window;
  // The list of commands has the same action.
  await browser.keys(["Control", "k"]);
  await browser.$(commandList).waitForDisplayed();
  window.answerDialog(project);
  await browser.keys("Open a repository");
  await browser.keys("Enter");
  await isShown();
  await click(browser, `${dialog} ${byId("repository-found")}[aria-pressed="false"]`);
  expect(await browser.$(byId("repository-command")).getValue()).toBe("make check");
  await fill(browser, byId("repository-command"), "sh 'tests/all.sh");
  await browser.keys("Enter");
  await browser.$(byId("repository-command-problem")).waitForDisplayed({ timeout: 10_000 });
  expect(await wholeText(browser, byId("repository-command-problem"))).toContain("is not closed");
  await isSound(browser, "a problem of the command");
  await theme("dark");
  await window.picture("open-repository-problem");
  await fill(browser, byId("repository-command"), "sh tests/all.sh");
  await chooseOption(browser, byId("repository-setup-way"), "none");
  await click(browser, byId("repository-offered"));
  expect(await browser.$(byId("repository-protect")).getValue()).toBe("tests/**");
  await window.picture("open-repository-corrected");
  await click(browser, byId(testIds.repositoryMake));
  await isGone();
  await flowIsOpen(browser);
  expect((await nodes(browser)).sort()).toEqual(
    ["changes", "check", "exit", "fix", "fixed", "repair", "task", "unfixed"].sort(),
  );
  await selectNode(browser, "fix");
  await browser.waitUntil(
    async () =>
      (await wholeText(browser, `${byId("field-runner")} [role="combobox"]`)) === "Claude Code 2.0.14",
    { timeout: 15_000, timeoutMsg: "the node does not show its agent with the version" },
  );
  await window.picture("open-repository-flow");
  // Nothing was run.
  expect(git("status", "--short")).toBe("?? notes");
});

test("the flow runs in a copy until the command passes", async () => {
  const { browser } = window;
  await click(browser, byId(testIds.runButton));
  const trust = byId(testIds.trustDialog);
  await browser.$(trust).waitForDisplayed({ timeout: 10_000, timeoutMsg: "no question is shown" });
  expect(await wholeText(browser, trust)).toContain(`sh tests/all.sh in workspace:${project}`);
  await click(browser, byId(testIds.trustAllow));
  // With nothing selected, the panel shows the run.
  await deselect(browser);
  expect(await runEnds(browser)).toBe("done");
  const iterations = await Promise.all(
    [1, 2, 3].map((k) => wholeText(browser, byId(testIds.timelineSegment(k)))),
  );
  expect(iterations.map((text) => /\d+ failed/.exec(text)?.[0])).toEqual([
    "2 failed",
    "1 failed",
    "0 failed",
  ]);
  await window.picture("open-repository-green");
  expect(readFileSync(path.join(project, "numbers"), "utf8")).toBe("1\n1\n");
  expect(git("status", "--short")).toBe("?? notes");
});
