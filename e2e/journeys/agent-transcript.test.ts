// A coding agent works in a private copy of a project. Its card says what it does, and its panel has the transcript, while it
// works and afterwards. `claude` is a script that prints, line by line, what the real program printed, and edits the file.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { byId, click, deselect, runEnds, selectNode, wholeText } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { isSound } from "../support/sound";
import { builtProgram, openWindow, remove, root, type Window } from "../support/window";

const STREAM = path.join(root, "src-tauri/crates/tools/src/tests/agent-streams/claude-code.jsonl");

const CLAUDE = `#!/bin/sh
if [ "$1" = --version ]; then echo '2.0.14 (Claude Code)'; exit; fi
cat > /dev/null
echo 'a notice of the program' >&2
sed "s#/home/me/project#$(pwd)#g" "$(dirname "$0")/stream.jsonl" | while read -r line; do
  printf '%s\\n' "$line"
  sleep 1.5
done
echo 'new words' > word.txt
`;

let window: Window;
let folder = "";
let dataDir = "";

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "loopwright-e2e-"));
  const [project, bin] = [path.join(folder, "project"), path.join(folder, "bin")];
  dataDir = path.join(folder, "data");
  for (const made of [project, bin, dataDir]) mkdirSync(made);
  writeFileSync(path.join(project, "word.txt"), "old words\n");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], { cwd: project });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "start");
  writeFileSync(path.join(bin, "claude"), CLAUDE);
  chmodSync(path.join(bin, "claude"), 0o755);
  writeFileSync(path.join(bin, "stream.jsonl"), readFileSync(STREAM));
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

test("what an agent does is seen while it works, and afterwards", async () => {
  const { browser } = window;
  const flow = {
    name: "Repair",
    nodes: row(
      ["task", "input", { name: "task", default: "Correct the word." }],
      [
        "repair",
        "loop",
        {
          maxIterations: 3,
          exitCondition: "evaluator",
          workspace: { source: path.join(folder, "project") },
        },
      ],
      ["check", "check", { program: "grep", args: ["new words", "word.txt"] }],
      ["exit", "exit"],
      ["fix", "agent", { runner: "claude-code", prompt: "{{ run.inputs.task }}" }],
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
  await browser.$(byId(testIds.trustDialog)).waitForDisplayed({ timeout: 10_000 });
  await click(browser, byId(testIds.trustAllow));

  const lines = new Set<string>();
  await browser.waitUntil(
    async () => {
      // The card is read by the page, because the driver would wait for a card that comes and goes.
      const line = await browser.execute(
        (card) => document.querySelector(card)?.textContent ?? "",
        byId(testIds.activity),
      );
      lines.add(line);
      return [...lines].some((line) => /^edit(ing|ed) word\.txt$/.test(line));
    },
    { timeout: 30_000, interval: 100, timeoutMsg: `the card showed only ${[...lines].join("; ")}` },
  );
  await selectNode(browser, "fix");
  const transcript = byId(testIds.transcript);
  await browser.$(transcript).waitForDisplayed({ timeout: 10_000, timeoutMsg: "no transcript is shown" });
  expect(await wholeText(browser, transcript)).toContain("The word in the file is wrong.");
  await window.picture("agent-works");

  await deselect(browser);
  expect(await runEnds(browser)).toBe("done");
  // The second iteration ended the loop without the agent, so the first one is shown.
  await click(browser, byId(testIds.timelineSegment(1)));
  await selectNode(browser, "fix");
  await click(browser, byId(testIds.inspectorTab("transcript")));
  await browser.waitUntil(
    async () => (await wholeText(browser, transcript)).includes("a notice of the program"),
    { timeout: 10_000, timeoutMsg: "standard error is not shown" },
  );
  const said = await wholeText(browser, transcript);
  for (const words of ["saidI read the file first.", "readword.txt", "editedword.txt", "1 test passed"]) {
    expect(said).toContain(words);
  }
  for (const theme of ["light", "dark"]) {
    await browser.execute((wanted) => {
      document.documentElement.dataset.theme = wanted;
    }, theme);
    await window.picture(`agent-transcript-${theme}`);
  }
  await isSound(browser, "the transcript of an agent");
});

test("the command line prints the same transcript", () => {
  const printed = execFileSync(
    builtProgram("loopwright"),
    ["--data-dir", dataDir, "runs", "show", "last", "--step", "repair[1]/fix"],
    { encoding: "utf8" },
  );
  expect(printed).toContain("edited   word.txt");
  expect(printed).toMatch(/ran {6}grep -c new word.txt/);
});
