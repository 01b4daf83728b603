// `npm run torture -- day-budget`: two programs share a data folder and a budget for the day. Each makes 32 calls at
// once, and both are killed and started again. The answers of the server may never cost more than the budget.
import { node, wire } from "../lib/measured.mjs";
import { say } from "../lib/process.mjs";
import { tail } from "../lib/ran.mjs";
import { Random } from "../lib/random.mjs";
import { ModelServer, numberOf } from "./server.mjs";
import { Checks, inRounds, until, World } from "./world.mjs";

const NAMES = ["morning", "evening"];
const ITEMS = 32;
/** The maximum length of an answer, in tokens. A call reserves the cost of an answer of this length. */
const MAX_TOKENS = 50;
/** The number of times that each of the two programs is killed in a round. */
const KILLS = 3;
/** The shortest and longest time after which a program is killed, in milliseconds since its start. */
const KILLED_WITHIN = [300, 2_500];
/** The time within which an answer is recorded, in milliseconds. A kill during this time can lose the answer. */
const RECORDED_WITHIN = 1_500;
/** The time within which a call arrives after the program began it, in milliseconds. */
const ARRIVES_WITHIN = 200;
/** The time within which the program records the end of a call, in milliseconds. */
const NOTED_WITHIN = 400;
/**
 * The budget for the day, in micro-dollars. The calls of a round cost about 18,000, and the calls that kills cut off
 * cost as much again.
 */
const BUDGET = [8_000, 45_000];
const LARGER_BUDGET = "1";
/** The exit status of a run that stopped at a budget. */
const AT_BUDGET = 3;

const items = (name) => Array.from({ length: ITEMS }, (_, at) => `${name} ${at}`);

const flow = (name) => ({
  settings: { concurrency: ITEMS },
  nodes: [
    node("list", "input", { name: "items", dataType: "json", default: items(name) }),
    node("each", "iterator", { concurrency: ITEMS }),
    node("ask", "llm", { provider: "openai", model: "m", prompt: "{{ item }}", maxTokens: MAX_TOKENS }),
    node("gather", "aggregator", { mode: "array" }),
    node("results", "output", { name: "results", format: "json" }),
  ],
  edges: [
    wire("list", "value", "each", "items"),
    wire("each", "item", "ask", "prompt"),
    wire("ask", "response", "gather", "input"),
    wire("gather", "results", "results", "value"),
  ],
});

export async function tortureDayBudget({ program, rounds, seed }) {
  const sums = { kills: 0, calls: 0, repeated: 0, lost: 0, used: [] };
  const good = await inRounds({ rounds, seed }, (of) => attempt({ program, random: new Random(of), sums }));
  say(
    `${sums.kills} kills, ${sums.calls} calls, ${sums.repeated} of them repeated after a kill, ` +
      `${sums.lost} answered for a killed program; ${Math.min(...sums.used)} to ${Math.max(...sums.used)} % of the budgets were used`,
  );
  return good;
}

async function attempt({ program, random, sums }) {
  const server = await ModelServer.start(() => ({
    after: random.between(100, 1_500),
    tokens: random.between(5, MAX_TOKENS),
  }));
  const world = new World(program, { OPENAI: server });
  const checks = new Checks();
  const budget = random.between(...BUDGET);
  const limited = await world.ask("costs", "limit", "day", `${budget / 1e6}`);
  checks.holds("The budget is set.", limited.code === 0, tail(limited));

  const runs = NAMES.map((name) => ({
    name,
    file: world.flow(name, flow(name)),
    delays: Array.from({ length: KILLS }, () => random.between(...KILLED_WITHIN)),
    kills: [],
    id: null,
  }));
  const ends = await Promise.all(runs.map((run) => killed(world, run)));
  const spent = server.cost();
  const used = Math.round((100 * spent) / budget);
  checks.holds("The budget is kept.", spent <= budget, `${spent} of ${budget} micro-dollars`);
  for (const [at, end] of ends.entries()) {
    const isWhole = end.code === 0 && end.json?.status === "completed";
    const isAtBudget = end.code === AT_BUDGET && end.json?.error?.code === "budget_exceeded";
    checks.holds(`The run ${NAMES[at]} completes or stops at the budget.`, isWhole || isAtBudget, tail(end));
  }
  const before = await shown(world, checks);
  checks.holds("The shown costs keep the budget.", before.cost <= budget, `${before.cost} of ${budget}`);
  checks.holds("The shown costs are those of answers.", before.cost <= spent, `${before.cost} of ${spent}`);

  // With a larger budget, both runs complete.
  const raised = await world.ask("costs", "limit", "day", LARGER_BUDGET);
  checks.holds("The budget is raised.", raised.code === 0, tail(raised));
  const last = await Promise.all(runs.map((run) => proceed(world, run)));
  const given = new Set();
  for (const [at, end] of last.entries()) {
    const { name } = runs[at];
    checks.holds(`The run ${name} completes.`, end.code === 0 && end.json?.status === "completed", tail(end));
    const results = end.json?.outputs?.results ?? [];
    for (const [number, item] of items(name).entries()) {
      const call = numberOf(`${results[number]}`, item);
      checks.holds("Each item has its answer.", call !== undefined, `${item}: ${results[number]}`);
      given.add(call);
    }
    const listed = await world.ask("runs", "list", "--flow", name);
    checks.holds("No run is lost.", listed.json?.length === 1, tail(listed));
  }

  // Only calls that a kill cut off are repeated.
  const extra = server.calls.filter(({ number }) => !given.has(number));
  for (const { prompt, at, endedAt } of extra) {
    const run = runs.find(({ name }) => prompt.startsWith(name));
    const isCutOff = run.kills.some((kill) => at <= kill && kill <= endedAt + RECORDED_WITHIN);
    checks.holds("Only calls that a kill cut off are repeated.", isCutOff, prompt);
  }
  const lost = extra.filter(({ ended }) => ended === "answered");

  // The shown costs are those of the answers, and calls that were cut off are shown as such.
  const after = await shown(world, checks);
  const recorded = server.calls.filter(({ number }) => given.has(number));
  const cost = recorded.reduce((sum, call) => sum + call.cost, 0);
  checks.holds("The shown costs are exact.", after.cost === cost, `${after.cost} instead of ${cost}`);
  const noted = extra.filter((call) => isNoted(call, runs, server.calls));
  checks.holds(
    "Calls that a kill cut off are shown.",
    after.cutOff >= noted.length,
    `${after.cutOff} of ${noted.length}`,
  );

  const kills = runs.flatMap((run) => run.kills).length;
  sums.kills += kills;
  sums.calls += server.calls.length;
  sums.repeated += extra.length;
  sums.lost += lost.length;
  sums.used.push(used);
  server.stop();
  if (checks.wrong.length === 0) world.remove();
  else checks.wrong.push(`(the data is in ${world.folder})`);
  return {
    wrong: checks.wrong,
    said: `budget ${budget}, ${used} % used, ${kills} kills, ${extra.length} calls repeated, ${lost.length} of them answered, ${after.cutOff} shown as cut off, ${noted.length} must be`,
  };
}

/**
 * Returns whether the program recorded a call before the program was killed. Whenever a call of the run ends,
 * the program records the calls in progress. Whether a call that began later was sent is unknown.
 */
function isNoted({ prompt, at }, runs, calls) {
  const run = runs.find(({ name }) => prompt.startsWith(name));
  const kill = run.kills.find((time) => time >= at) ?? 0;
  return calls.some(
    (other) =>
      other.prompt.startsWith(run.name) &&
      other.ended === "answered" &&
      other.endedAt > at + ARRIVES_WITHIN &&
      other.endedAt < kill - NOTED_WITHIN,
  );
}

/**
 * Runs a flow, kills and restarts its program after each of the delays, and lets the last program end.
 * Returns that program's exit code and output.
 */
async function killed(world, run) {
  for (const delay of run.delays) {
    const { child, done } = begin(world, run);
    const ended = await Promise.race([done, until(Date.now() + delay)]);
    // A program that stopped at the budget cannot be killed any more.
    if (ended === undefined) {
      child.kill("SIGKILL");
      run.kills.push(Date.now());
      await done;
    }
    await find(world, run);
  }
  return proceed(world, run);
}

/** Continues a run until its program ends. Returns its exit code and its output. */
async function proceed(world, run) {
  const done = await begin(world, run).done;
  await find(world, run);
  return done;
}

const begin = (world, { id, file }) =>
  id === null ? world.start("run", file) : world.start("runs", "resume", id);

/** Stores the id of a run in `run`, unless its program was killed before it had one. */
async function find(world, run) {
  const listed = await world.ask("runs", "list", "--flow", run.name);
  run.id ??= listed.json?.[0]?.runId ?? null;
}

/** Returns the costs that the program shows, in micro-dollars, and the number of calls that were cut off. */
async function shown(world, checks) {
  const costs = await world.ask("costs");
  const sum = costs.json?.total?.sum;
  checks.holds("The costs are shown.", sum !== undefined, tail(costs));
  return { cost: Math.round((sum?.usd ?? 0) * 1e6), cutOff: sum?.cutOffCalls ?? 0 };
}
