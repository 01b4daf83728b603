// `npm run torture`: runs are killed with SIGKILL and resumed, at every journal boundary of every flow case
// and template, and at 200 random instants of the real program on each template. At another 200 instants,
// SIGTERM, SIGHUP or SIGKILL is sent while an agent and an MCP server are running. 50 experiments are killed
// several times each. Workers of a PostgreSQL store are killed 50 times, or disconnected. It prints counts;
// `npm test` does a small part of it.
import path from "node:path";
import { tortureAgents } from "./agents/torture.mjs";
import { tortureCluster } from "./cluster/chaos.mjs";
import { NETWORK_CASES, tortureNetwork } from "./cluster/network.mjs";
import { tortureStandby } from "./cluster/standby.mjs";
import { fuzz } from "./lib/fuzz.mjs";
import { optionsOf } from "./lib/options.mjs";
import { builtProgram, cargo, say, show, stop } from "./lib/process.mjs";
import { prepare } from "./lib/setup.mjs";
import { tortureModel } from "./model/torture.mjs";
import { tortureDayBudget } from "./unattended/day-budget.mjs";
import { tortureLeaving } from "./unattended/leaving.mjs";
import { tortureParked } from "./unattended/parked.mjs";
import { tortureWorkspaces } from "./workspaces/torture.mjs";

const HELP = `npm run torture -- [WHAT] [OPTION…]

Kills, cuts off and misleads what runs, and counts what comes of it. Without a name it is kills.

  kills     runs are killed at every boundary and at random instants, and taken up again
  fuzz      readers of outside bytes are given bytes that are made up
  cluster   workers and PostgreSQL are killed, frozen and ended, while batches are submitted and stopped
  network   the way to PostgreSQL is slow, cut, or half open
  standby   the primary is killed and its synchronous standby promoted
  model     a small real model answers the templates, a Router, structured calls, and calls that are stopped
  agents    Claude Code, Codex and Gemini repair projects for a stand-in of their models, confined and not
  workspaces  an agent attacks projects of random forms, and the runs over them are killed and forked
  parked    calls wait for a quota while the program is killed and started again
  day-budget  two programs share the budget of a day while both are killed and started again
  leaving   windows with three runs are closed, left, ended and killed, and the runs are resumed

  --minutes N      fuzz: of each target; cluster: in all (default: 10)
  --only NAME,…    fuzz: these targets; network: these cases; agents: these programs and projects
  --rounds N       standby: how often (default: 5); workspaces: how many projects (default: 300);
                   parked: how many runs, each with 5 kills (default: 10);
                   day-budget: how many pairs of runs, each program with up to 3 kills (default: 18);
                   leaving: how many windows or pairs of windows (default: 30)
  --seed N         cluster, standby, workspaces, parked, day-budget, leaving: what happens when
                   (default: another each time)
  --verbose        cluster: says what is done
  --program FILE   all but kills and fuzz: a command line that is built already
`;
const tortures = {
  kills,
  fuzz: fuzzing,
  cluster,
  network,
  standby,
  model,
  agents,
  workspaces,
  parked,
  "day-budget": dayBudget,
  leaving,
};
const { words, ...values } = optionsOf(
  HELP,
  {
    minutes: { type: "string", default: "10" },
    only: { type: "string" },
    program: { type: "string" },
    rounds: { type: "string" },
    seed: { type: "string" },
    verbose: { type: "boolean" },
  },
  Object.fromEntries(Object.keys(tortures).map((name) => [name, []])),
);
await tortures[words[0] ?? "kills"]();

async function kills() {
  await prepare(["compile", "cluster"]);
  const env = { ...process.env, LOOPWRIGHT_TORTURE: "all" };
  say("Killed at every boundary of the journal, then at random instants");
  // The tests of the whole workspace, so that the compiled dependencies of `npm test` are reused.
  const tests = ["torture::", "endings::", "evaluations::", "cluster::"];
  const args = cargo("test", "--workspace", "--no-fail-fast", "--test", "it", "--", "--nocapture", ...tests);
  if ((await show("cargo", args, { env })) !== 0) {
    stop("Some runs ended differently than without the kills; the reasons are above.");
  }
}

async function fuzzing() {
  const minutes = number("minutes");
  await prepare(["compile"]);
  if (!(await fuzz({ minutes, only: values.only }))) stop("The fuzzer found problems; the cases are above.");
}

async function model() {
  await prepare(["compile", "others"]);
  if (!(await tortureModel(await program()))) stop("Some checks failed; the reasons are above.");
}

async function agents() {
  await prepare(["compile", "others"]);
  if (!(await tortureAgents(await program(), values.only?.split(",")))) {
    stop("Some checks failed; the reasons are above.");
  }
}

async function workspaces() {
  const count = number("rounds", 300);
  const options = { count, seed: seed(), program: await program() };
  say(`${count} projects of random forms, from seed ${options.seed}`);
  if (!(await tortureWorkspaces(options))) stop("Some checks failed; the reasons are above.");
}

async function parked() {
  const options = { rounds: number("rounds", 10), seed: seed(), program: await program() };
  say(`${options.rounds} runs wait for a quota and are killed, seed ${options.seed}`);
  end(await tortureParked(options));
}

async function dayBudget() {
  const options = { rounds: number("rounds", 18), seed: seed(), program: await program() };
  say(`${options.rounds} pairs of runs share a budget and are killed, seed ${options.seed}`);
  end(await tortureDayBudget(options));
}

async function leaving() {
  const options = { rounds: number("rounds", 30), seed: seed(), program: await program() };
  say(`Windows with three runs are left ${options.rounds} times, seed ${options.seed}`);
  end(await tortureLeaving(options));
}

/** Returns an option, which must be a number above 0. The default is `usual`. */
function number(name, usual) {
  const given = Number(values[name] ?? usual);
  if (!(given > 0))
    stop(`--${name} must be a number above 0, such as ${name === "minutes" ? "10 or 0.2" : "5"}.`, 2);
  return given;
}

/** Returns the seed from the command line. Without one, returns a seed from the current time. */
function seed() {
  if (values.seed === undefined) return Date.now() % 1_000_000;
  if (!/^\d+$/.test(values.seed))
    stop("--seed must be a whole number, such as one that an earlier run printed.", 2);
  return Number(values.seed);
}

/** Returns the path of the program to test: the one that `--program` names, or a new build. */
async function program() {
  if (process.platform !== "linux")
    stop("NOT TESTED: this test freezes and kills processes, which it can do only on Linux.", 0);
  if (values.program) return path.resolve(values.program);
  await prepare(["compile", "cluster"]);
  say("Building the command line, and the program that runs its scripts");
  const packages = ["-p", "loopwright-cli", "-p", "loopwright-script-worker"];
  if ((await show("cargo", cargo("build", ...packages))) !== 0) {
    stop("The command line could not be built; the reason is above.");
  }
  return builtProgram("loopwright");
}

/** Ends the script and everything that it started. */
function end(good) {
  if (!good) stop("Some counts do not agree; the reasons are above.");
  process.exit(0);
}

async function cluster() {
  const minutes = number("minutes");
  const options = { minutes, seed: seed(), verbose: values.verbose, program: await program() };
  say(`Workers and PostgreSQL are killed for ${minutes} min, seed ${options.seed}`);
  end(await tortureCluster(options));
}

async function network() {
  const only = values.only?.split(",");
  const unknown = only?.find((name) => !NETWORK_CASES.includes(name));
  if (unknown !== undefined)
    stop(`Unknown case \`${unknown}\`. The cases are ${NETWORK_CASES.join(", ")}.`, 2);
  const built = await program();
  say("The connection to PostgreSQL is slow, is cut, or loses what is sent");
  end(await tortureNetwork({ program: built, only }));
}

async function standby() {
  const rounds = number("rounds", 5);
  const options = { rounds, seed: seed(), program: await program() };
  say(`The primary is killed and its standby promoted ${rounds} times, seed ${options.seed}`);
  end(await tortureStandby(options));
}
