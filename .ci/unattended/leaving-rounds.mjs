// The rounds of `npm run torture -- leaving`. Three runs are active in one window, or in two windows on the same
// data folder. Each window is left in one of several ways. No run may be lost, none may be led by two programs,
// and no recorded step may be repeated.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startDisplay } from "../../e2e/support/display.ts";
import { byId, click, wholeText } from "../../e2e/support/editor.ts";
import { openFile } from "../../e2e/support/flows.ts";
import { builtProgram, openWindow, openWindows } from "../../e2e/support/window.ts";
import { testIds } from "../../ui/src/testids.ts";
import { node, wire } from "../lib/measured.mjs";
import { tail } from "../lib/ran.mjs";
import { Random } from "../lib/random.mjs";
import { ModelServer, numberOf } from "./server.mjs";
import { Checks, World } from "./world.mjs";

const ROUNDS = Number(process.env.LOOPWRIGHT_ROUNDS);
const SEED = Number(process.env.LOOPWRIGHT_SEED);
const NAMES = ["alpha", "beta", "gamma"];
const ITERATIONS = 12;
/**
 * The shortest and longest duration of an answer, in milliseconds: `SLOW` until the window of the run is
 * left, then `FAST`.
 */
const SLOW = [4_000, 6_000];
const FAST = [200, 700];
/** The time within which an answer is recorded, in milliseconds. A kill during this time can lose the answer. */
const RECORDED_WITHIN = 2_000;

/** The labels of the buttons in the question about running runs, for one run and for several. */
const PAUSE = ["Pause it", "Pause them"];
const STOP = ["Stop it", "Stop them"];
const KEEP = ["Keep running in the background", "Keep running in the background"];

/**
 * The ways to leave a window, each with its actions, the resulting status of the runs, and whether calls are cut off.
 * `isOffered` says that the next window offers to resume the runs.
 */
const WAYS = {
  "kept in the background": {
    leave: async (at) => {
      await close(at, KEEP);
      await endsByItself(at);
    },
    status: "completed",
  },
  "kept, and followed by the next window": {
    leave: async (at) => {
      await close(at, KEEP);
      const next = await at.open();
      const words = at.flows.length === 1 ? "1 run continues" : `${at.flows.length} runs continue`;
      await says(next, `${words} in the background`);
      await endsByItself(at);
      await next.close();
    },
    isAlone: true,
    status: "completed",
  },
  "kept, and killed": {
    leave: async (at) => {
      await close(at, KEEP);
      await pause(at.random.between(0, 3_000));
      await at.window.kill();
      at.cutOffAt = Date.now();
    },
    status: "interrupted",
    isOffered: true,
  },
  paused: {
    leave: async (at) => {
      await close(at, PAUSE);
      await endsByItself(at);
    },
    status: "paused",
  },
  stopped: {
    leave: async (at) => {
      await close(at, STOP);
      at.cutOffAt = Date.now();
      await endsByItself(at);
    },
    status: "cancelled",
  },
  "ended by SIGTERM": { leave: terminate, status: "interrupted", isOffered: true },
  "ended by SIGTERM, and continued by the next window": {
    leave: terminate,
    status: "interrupted",
    isAlone: true,
    continues: true,
  },
  killed: {
    leave: async (at) => {
      await at.window.kill();
      at.cutOffAt = Date.now();
    },
    status: "interrupted",
    isOffered: true,
  },
};

const prompt = (name, index) => `${name} ${index}`;

const flow = (name) => ({
  nodes: [
    node("start", "input", { name: "start", default: "go" }),
    node("refine", "loop", { maxIterations: ITERATIONS, exitCondition: "max_iterations" }),
    node("draft", "llm", { provider: "openai", model: "m", prompt: `${name} {{ loopIndex }}` }),
    node("exit", "exit"),
    node("done", "output", { name: "done" }),
  ].map((one, at) => ({ ...one, position: { x: at * 250, y: 100 } })),
  edges: [
    wire("start", "value", "refine", "input"),
    wire("refine", "body", "draft", "prompt"),
    wire("draft", "response", "exit", "input"),
    wire("exit", "output", "done", "value"),
  ],
});

let second;
const counts = {};
beforeAll(async () => {
  second = await startDisplay();
});
afterAll(() => {
  second?.stop();
  console.log(
    Object.entries(counts)
      .sort()
      .map(([way, times]) => `${way}: ${times}`)
      .join("\n"),
  );
});

for (let round = 0; round < ROUNDS; round++) {
  const seed = SEED + round;
  const random = new Random(seed);
  const isTwo = random.percent(40);
  const ways = Object.keys(WAYS).filter((way) => !(isTwo && WAYS[way].isAlone));
  // Every way is used equally often; the seed determines the first one.
  const chosen = isTwo ? [random.of(ways), random.of(ways)] : [ways[seed % ways.length]];
  test(`seed ${seed}: ${isTwo ? "two windows, " : ""}${chosen.join("; ")}`, async () => {
    const began = Date.now();
    for (const way of chosen) counts[way] = (counts[way] ?? 0) + 1;
    const wrong = await attempt(seed, random, chosen);
    console.log(
      `${round + 1} of ${ROUNDS} (seed ${seed}, ${((Date.now() - began) / 1000).toFixed(0)} s): ${chosen.join("; ")}`,
    );
    for (const why of wrong) console.log(`DOES NOT HOLD (seed ${seed}): ${why}`);
    expect(wrong).toEqual([]);
  });
}

/** Runs one round. Returns the failed checks. */
async function attempt(seed, random, chosen) {
  const left = new Set();
  const server = await ModelServer.start(({ prompt: asked }) => ({
    after: random.between(...(left.has(asked.split(" ")[0]) ? FAST : SLOW)),
    tokens: 10,
  }));
  const world = new World(builtProgram("loopwright"), { OPENAI: server });
  const checks = new Checks();
  const continues = chosen.some((way) => WAYS[way].continues);
  writeFileSync(path.join(world.folder, "data/settings.json"), JSON.stringify({ continueRuns: continues }));
  const displays = [
    { display: inject("display"), screen: inject("screen") },
    { display: second.display, screen: second.screen },
  ];
  const open = (at) =>
    openWindow({
      ...displays[at],
      folder: world.folder,
      env: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: "none" },
    });
  const files = Object.fromEntries(NAMES.map((name) => [name, world.flow(name, flow(name))]));
  const windows = chosen.map((way, at) => ({
    way,
    random,
    display: displays[at].display,
    flows: chosen.length === 1 ? NAMES : at === 0 ? NAMES.slice(0, 2) : NAMES.slice(2),
    cutOffAt: null,
    open: () => open(1 - at),
  }));
  try {
    for (const [at, place] of windows.entries()) {
      place.window = await open(at);
      for (const [number, name] of place.flows.entries()) {
        await begin(place.window, server, files, name, number > 0);
      }
    }
    for (const place of windows) {
      for (const name of place.flows) left.add(name);
      await WAYS[place.way].leave(place);
    }
    await settle({ windows, world, server, checks, open });
    await compare({ windows, world, server, checks });
  } catch (error) {
    for (const window of openWindows) {
      const file = await window.picture(`left-${seed}-${[...openWindows].indexOf(window)}`).catch(() => "");
      console.log(`See ${file} and ${world.folder}`);
    }
    throw error;
  } finally {
    for (const window of openWindows) await window.close();
    server.stop();
  }
  if (checks.wrong.length === 0) world.remove();
  else checks.wrong.push(`(the data is in ${world.folder})`);
  return checks.wrong;
}

/** Opens a flow in the window and runs it. */
async function begin(window, server, files, name, isOther) {
  const { browser } = window;
  await openFile(window, files[name]);
  // A window with one flow has no tabs.
  const tab = browser.$(`${byId(testIds.tab(path.basename(files[name])))} [aria-current]`);
  if (isOther) await tab.waitForExist({ timeout: 20_000, timeoutMsg: `the tab of ${name} does not open` });
  await click(browser, byId(testIds.runButton));
  const isAsked = () => server.calls.some((call) => call.prompt === prompt(name, 0));
  await browser.waitUntil(isAsked, { timeout: 20_000, timeoutMsg: `the run of ${name} does not begin` });
}

/** Asks the window to close, and answers its question. */
async function close({ window, display, flows }, labels) {
  const script = path.resolve(import.meta.dirname, "../../e2e/support/ask_to_close.py");
  execFileSync("python3", [script, "loopwright-desktop"], { env: { ...process.env, DISPLAY: display } });
  const answer = window.browser.$("dialog[open]").$(`button=${labels[flows.length === 1 ? 0 : 1]}`);
  await answer.waitForClickable({ timeout: 15_000, timeoutMsg: "the window does not ask about its runs" });
  // The window may be gone before the driver answers.
  await answer.click().catch(async (error) => {
    if (!/session|ECONN|closed/i.test(`${error}`)) throw error;
  });
}

async function terminate(at) {
  at.window.signal("SIGTERM");
  at.cutOffAt = Date.now();
  await endsByItself(at);
}

/** Waits until the program has ended by itself, after its last run. */
async function endsByItself({ window }) {
  for (let attempt = 0; ; attempt++) {
    try {
      await window.ended();
      break;
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
  await window.close();
}

const says = ({ browser }, words) =>
  browser.waitUntil(async () => (await wholeText(browser, "body")).includes(words), {
    timeout: 30_000,
    timeoutMsg: `the window does not say “${words}”`,
  });

/** Checks the statuses of the runs, and resumes those that can be resumed. */
async function settle({ windows, world, server, checks, open }) {
  const left = await statuses(world);
  for (const { way, flows } of windows) {
    for (const name of flows) {
      const is = left[name];
      checks.holds(`${name}: ${way}`, is === WAYS[way].status, `but it is ${is}`);
    }
  }
  const before = server.calls.length;
  await pause(1_000);
  checks.holds("No call is made after the program ended.", server.calls.length === before);

  const interrupted = Object.values(left).filter((is) => is === "interrupted").length;
  const continues = windows.some(({ way }) => WAYS[way].continues);
  if (interrupted > 0) {
    const next = await open(0);
    if (!continues) {
      const words = interrupted === 1 ? "1 run was interrupted" : `${interrupted} runs were interrupted`;
      await says(next, words);
      // One is resumed in the window, and the others by other programs at the same time.
      await click(next.browser, `//button[.="${interrupted === 1 ? "Resume" : "Resume the newest"}"]`);
      await becomes(world, (now) => count(now, "interrupted") === interrupted - 1, "the window resumes none");
    }
  }
  const now = continues ? {} : await runs(world);
  const rest = Object.values(now).filter(({ status }) => ["interrupted", "paused"].includes(status));
  // Two programs try to lead each of the others, and the second is refused.
  const twice = rest.map(({ runId }) => [runId, runId].map((id) => world.ask("runs", "resume", id)));
  for (const both of await Promise.all(twice.map((one) => Promise.all(one)))) {
    const whole = both.filter(({ code }) => code === 0);
    checks.holds("A run is resumed to its end.", whole.length > 0, both.map(tail).join("; "));
    const refused = both.filter(({ code }) => code !== 0);
    const isReported = refused.every(({ json }) => json?.error?.code === "busy");
    checks.holds("A second program is refused.", isReported, refused.map(tail).join("; "));
  }
  await becomes(
    world,
    (all) => Object.values(all).every((is) => ["completed", "cancelled"].includes(is)),
    "not all runs end",
  );
}

/** Compares the calls that the server received with what is recorded. */
async function compare({ windows, world, server, checks }) {
  const all = await runs(world);
  for (const { way, flows, cutOffAt } of windows) {
    for (const name of flows) {
      const expected = WAYS[way].status === "cancelled" ? "cancelled" : "completed";
      checks.holds(`${name} ends as ${expected}.`, all[name]?.status === expected, all[name]?.status);
      const shown = await world.ask("runs", "show", `${all[name]?.runId}`);
      const iterations = shown.json?.loops?.refine?.iterations ?? [];
      const isWhole = expected === "cancelled" || iterations.length === ITERATIONS;
      checks.holds(`${name} has all iterations.`, isWhole, `${iterations.length}`);
      for (let index = 0; index < ITERATIONS; index++) {
        const calls = server.calls.filter((call) => call.prompt === prompt(name, index));
        const overlap = calls.some((call, at) => at > 0 && call.at < (calls[at - 1].endedAt ?? Infinity));
        checks.holds("A step is executed by one program at a time.", !overlap, prompt(name, index));
        const text = iterations[index];
        const recorded = text === undefined ? undefined : numberOf(text, prompt(name, index));
        checks.holds("An iteration has its answer.", text === undefined || recorded !== undefined, text);
        for (const { number, at, ended, endedAt } of calls) {
          if (number === recorded) continue;
          checks.holds("A recorded step is not repeated.", !(number > recorded), prompt(name, index));
          const isLate = ended === "cut" || endedAt > cutOffAt - RECORDED_WITHIN;
          const isCut = cutOffAt !== null && at <= cutOffAt && isLate;
          checks.holds("Only a call that was cut off is repeated.", isCut, prompt(name, index));
        }
      }
    }
  }
}

/** Returns the runs by the names of their flows. */
async function runs(world) {
  const listed = await world.ask("runs", "list");
  if (listed.json?.length !== NAMES.length) throw new Error(`There are not three runs: ${tail(listed)}`);
  return Object.fromEntries(listed.json.map((run) => [run.flow, run]));
}

async function statuses(world) {
  return Object.fromEntries(Object.entries(await runs(world)).map(([name, { status }]) => [name, status]));
}

const count = (all, wanted) => Object.values(all).filter((is) => is === wanted).length;

/** Waits until the statuses of the runs are as wanted. */
async function becomes(world, isWanted, otherwise) {
  const ends = Date.now() + 60_000;
  for (;;) {
    const now = await statuses(world);
    if (isWanted(now)) return;
    if (Date.now() > ends) throw new Error(`${otherwise}: ${JSON.stringify(now)}`);
    await pause(200);
  }
}
