// A loop repairs a private copy of a repository with an agent from Settings: the run is allowed once, the number of
// failures falls to 0, the person's own files stay as they are, and the form of the Loop shows the workspace.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { byId, click, runEnds, selectNode, wholeText } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
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
cat > /dev/null
if [ "$(sed -n 1p numbers)" = 3 ]; then sed -i 2s/.*/7/ numbers; else sed -i 1s/.*/3/ numbers; fi
echo repaired
`;

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
