// The user logs out while runs are active: one in the window, one in the background, one that waits for an
// answer, one that is paused. The next start offers exactly the two that were interrupted, or continues them
// by itself if the user has chosen so. After a crash it only offers them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { type CommandLine, commandLine } from "../support/command-line";
import { byId, click, closeApproval, startRun, textOf, wholeText } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { type Answer, type JudgeModel, startJudgeModel } from "../support/judge-model";
import { folderUsing } from "../support/slow-model";
import { builtProgram, openWindow, remove, type Window } from "../support/window";

const refine = {
  name: "Refine a letter",
  nodes: row(
    ["text", "input", { label: "Text", name: "text", default: "start" }],
    ["refine", "loop", { label: "Refine", maxIterations: 3, exitCondition: "max_iterations" }],
    ["draft", "llm", { label: "Draft", prompt: "Improve: {{ input }}", maxTokens: 100 }],
    ["exit", "exit", { label: "Exit" }],
    ["done", "output", { label: "Done", name: "done" }],
  ),
  edges: wires(
    "text.value -> refine.input",
    "refine.body -> draft.prompt",
    "draft.response -> exit.input",
    "draft.response -> refine.feedback",
    "exit.output -> done.value",
  ),
};
const report = {
  name: "Write a report",
  nodes: row(
    ["topic", "input", { label: "Topic", name: "topic", default: "bread" }],
    ["outline", "llm", { label: "Outline", prompt: "Outline of {{ input }}", maxTokens: 100 }],
    ["chapter", "llm", { label: "Chapter", prompt: "Write: {{ input }}", maxTokens: 100 }],
    ["done", "output", { label: "Done", name: "done" }],
  ),
  edges: wires(
    "topic.value -> outline.prompt",
    "outline.response -> chapter.prompt",
    "chapter.response -> done.value",
  ),
};
const publish = {
  name: "Publish a text",
  nodes: row(
    ["text", "input", { label: "Text", name: "text", default: "The text." }],
    ["ask", "approval", { label: "Ask", message: "Publish this?" }],
    ["done", "output", { label: "Done", name: "done" }],
  ),
  edges: wires("text.value -> ask.input", "ask.approved -> done.value"),
};
/** A flow whose run takes long enough to be paused in the middle, even on a busy machine. */
const polish = {
  name: "Polish a text",
  nodes: row(
    ["text", "input", { label: "Text", name: "text", default: "text" }],
    ["refine", "loop", { label: "Refine", maxIterations: 100, exitCondition: "max_iterations" }],
    ["draft", "llm", { label: "Draft", prompt: "Polish: {{ input }}", maxTokens: 100 }],
    ["exit", "exit", { label: "Exit" }],
    ["done", "output", { label: "Done", name: "done" }],
  ),
  edges: refine.edges,
};

/**
 * The runs that a log out interrupts, each with the prompt of its first call and of the call that the model
 * holds back.
 */
const INTERRUPTED = [
  { flow: refine.name, finished: "refine[1]/draft", first: "Improve: start", held: "Improve: letter 1" },
  { flow: report.name, finished: "outline", first: "Outline of bread", held: "Write: outline" },
] as const;

/** Calls that the model holds back until the gate opens. */
class Gate {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

let gate = new Gate();
function answer(prompt: string): Answer {
  const letter = /Improve: (?:letter (\d))?/.exec(prompt);
  if (letter !== null) {
    const count = Number(letter[1] ?? 0);
    return { text: `letter ${count + 1}`, ...(count === 1 && { after: gate.opened }) };
  }
  if (prompt.includes("Outline")) return { text: "outline" };
  if (prompt.includes("Write")) return { text: "chapter", after: gate.opened };
  return { text: "text", after: sleep(200) };
}

let model: JudgeModel;
let window: Window;
let folder: string;
let loopwright: CommandLine;
beforeAll(async () => {
  model = await startJudgeModel(answer, 1);
  folder = folderUsing(model);
  loopwright = commandLine(folder);
});
afterAll(async () => {
  gate.open();
  await window?.close();
  for (const pid of leaders()) process.kill(pid, "SIGKILL");
  model?.stop();
  remove(folder);
});

/** Returns the ids of the processes that lead detached runs of this journey. */
function leaders(): number[] {
  const data = path.join(folder, "data");
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return args.includes("lead") && args.includes(data);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Returns the status of the newest run of each flow. */
function statuses(): Record<string, string> {
  const oldestFirst = loopwright.runs().reverse();
  return Object.fromEntries(oldestFirst.map(({ flow, status }) => [flow, status]));
}

/** Waits until these flows have this status. */
async function expectStatus(expected: Record<string, string>): Promise<void> {
  await expect.poll(statuses, { timeout: 20_000, interval: 200 }).toMatchObject(expected);
}

const everyInterrupted = (status: string) => ({ [refine.name]: status, [report.name]: status });
const UNTOUCHED = { [publish.name]: "waiting", [polish.name]: "paused" };

const newestRun = (flow: string) => loopwright.runs().find((run) => run.flow === flow)?.runId ?? "";

/** Returns how often each step of the newest run of a flow started (or was completed), by its path. */
function counts(flow: string, what: "started" | "completed"): Record<string, number> {
  const { stdout } = loopwright.run("runs", "export", newestRun(flow));
  const { records } = JSON.parse(stdout) as { records: { path: string; entry: { type: string } }[] };
  const found: Record<string, number> = {};
  // The completion of a model's step is recorded as a visit.
  for (const { path: at, entry } of records)
    if (entry.type === `node_${what}` || entry.type === `visit_${what}`) found[at] = (found[at] ?? 0) + 1;
  return found;
}

/** The number of calls that the model had received when the current runs were started. */
let before = 0;
const asked = (words: string) => model.asked.slice(before).filter((prompt) => prompt.includes(words)).length;

/** Waits until the model has received a prompt with each of these texts. */
async function expectAsked(...words: string[]): Promise<void> {
  await expect
    .poll(() => words.filter((text) => asked(text) === 0), { timeout: 20_000, interval: 50 })
    .toEqual([]);
}

function detach(flow: { name: string }): void {
  const file = path.join(folder, `${flow.name}.flow.json`);
  writeFileSync(file, JSON.stringify({ schemaVersion: 1, ...flow }));
  const { status, stderr } = loopwright.run("run", file, "--detach");
  if (status !== 0) throw new Error(`the run does not start: ${stderr}`);
}

/** Pauses the newest run of a flow. */
async function pause(flow: string): Promise<void> {
  const args = ["runs", "pause", newestRun(flow)];
  // The model answers meanwhile, so that the run can finish its current step.
  const program = spawn(builtProgram("loopwright"), args, { env: loopwright.env, stdio: "inherit" });
  expect(await once(program, "exit")).toEqual([0, null]);
}

/**
 * Starts a run in the window and a run in the background, and waits until both have made their second call.
 */
async function startBoth(): Promise<void> {
  gate = new Gate();
  before = model.asked.length;
  // The previous run is shown until the user returns to the flow.
  const back = window.browser.$(byId("back-to-editing"));
  if (await back.isDisplayed()) await back.click();
  await startRun(window.browser);
  await expectAsked(INTERRUPTED[0].held);
  detach(report);
  await expectAsked(INTERRUPTED[1].held);
}

const open = async () => {
  window = await openWindow({ display: inject("display"), folder });
};

/** Ends the window and the programs in the background, as a desktop does at a log out. */
async function logOut(): Promise<void> {
  window.signal("SIGTERM");
  for (const pid of leaders()) process.kill(pid, "SIGTERM");
  await window.ended();
  await expect.poll(leaders, { timeout: 15_000 }).toEqual([]);
  await window.kill();
}

const body = () => wholeText(window.browser, "body");

async function expectBody(words: string): Promise<void> {
  await window.browser.waitUntil(async () => (await body()).includes(words), {
    timeout: 15_000,
    timeoutMsg: `the window does not say “${words}”`,
  });
}

/** Checks that both runs were completed, and that no step that had finished was executed again. */
function expectNothingRepeated(): void {
  for (const { flow, finished, first, held } of INTERRUPTED) {
    const [started, completed] = [counts(flow, "started"), counts(flow, "completed")];
    expect(started[finished], `${finished} of ${flow}`).toBe(1);
    expect(Object.values(completed).every((count) => count === 1)).toBe(true);
    // The call that was cut off is made once more.
    expect([asked(first), asked(held)], flow).toEqual([1, 2]);
  }
}

test("after a log out, the window offers the interrupted runs, and resumes each where it was", async () => {
  // One run is paused before the window opens.
  detach(polish);
  await pause(polish.name);
  await expectStatus({ [polish.name]: "paused" });
  await open();
  const { browser } = window;
  await openFile(window, writeFlow(window, "publish.flow.json", publish));
  await startRun(browser);
  await closeApproval(browser);
  await openFile(window, writeFlow(window, "refine.flow.json", refine));
  await startBoth();
  await expectStatus({ ...everyInterrupted("running"), ...UNTOUCHED });

  await logOut();
  await expectStatus({ ...everyInterrupted("interrupted"), ...UNTOUCHED });
  for (const { flow, finished } of INTERRUPTED) expect(counts(flow, "completed")[finished]).toBe(1);

  await open();
  await expectBody("2 runs were interrupted");
  expect(await body()).toContain(`The newest is “${report.name}”`);
  expect(await textOf(window.browser, byId(testIds.openQuestions))).toBe("1 question waits for you");
  await window.pictures("log-out-offer");
  gate.open();
  await click(window.browser, '//button[.="Resume the newest"]');
  await expectStatus({ ...everyInterrupted("interrupted"), [report.name]: "completed" });
  await expectBody("1 run was interrupted");
  await window.browser.keys(["Control", "Shift", "r"]);
  await window.browser.waitUntil(
    async () => (await wholeText(window.browser, byId("recovery"))).includes(refine.name),
    { timeout: 15_000, timeoutMsg: "the other run is not offered" },
  );
  expect(await wholeText(window.browser, byId("recovery"))).toContain("Iteration 1 is saved");
  await window.pictures("log-out-history");
  await click(window.browser, byId("resume-run"));
  await expectStatus({ ...everyInterrupted("completed"), ...UNTOUCHED });
  // The message that offered this run is gone.
  expect(await body()).not.toContain("1 run was interrupted");
  expectNothingRepeated();
});

test("if the user has chosen so, the interrupted runs continue without a question", async () => {
  const { browser } = window;
  await browser.keys(["Control", ","]);
  await click(browser, byId("settings-runs"));
  await click(browser, byId("settings-continue-runs"));
  await window.pictures("log-out-setting");
  await browser.keys("Escape");
  await startBoth();
  await logOut();
  await expectStatus({ ...everyInterrupted("interrupted"), ...UNTOUCHED });

  await open();
  await expectStatus(everyInterrupted("running"));
  await expectBody("2 interrupted runs were resumed");
  expect(await body()).not.toContain("in the background");
  await window.pictures("log-out-continued");
  gate.open();
  await expectStatus({ ...everyInterrupted("completed"), ...UNTOUCHED });
  expectNothingRepeated();
});

test("after a crash, the interrupted runs are only offered", async () => {
  await click(window.browser, `${byId(testIds.tab("refine.flow.json"))} button`);
  await startBoth();
  const background = leaders();
  await window.kill();
  for (const pid of background) process.kill(pid, "SIGKILL");
  await expect.poll(leaders, { timeout: 5_000 }).toEqual([]);
  const calls = model.asked.length;
  gate.open();

  await open();
  await expectBody("2 runs were interrupted");
  expect(await body()).not.toContain("in the background");
  await window.pictures("log-out-crash");
  await expectStatus({ ...everyInterrupted("interrupted"), ...UNTOUCHED });
  expect(model.asked.length).toBe(calls);
});
