// `npm run bench -- peers`: measures the same loop in this program and in other systems, in turn, and prints
// the cost of each relative to this program.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { answer, say, stop } from "../lib/process.mjs";
import { expected, flow } from "./loop.mjs";
import { command, install, PEERS, runsAhead, versionOf } from "./systems.mjs";
import { FEW, figures, HEADING, line, MANY, pythonPart, row } from "./table.mjs";

const ROUNDS = 7;
const LIMIT_S = 300;

/** The environment of all systems: no telemetry, and no files that Python writes next to the programs. */
const ENV = {
  LOOPWRIGHT_KEYCHAIN: "off",
  LANGSMITH_TRACING: "false",
  LANGCHAIN_TRACING_V2: "false",
  PYTHONDONTWRITEBYTECODE: "1",
};

/** Runs a program to its end. Returns its resource usage and its output. */
function launch(bench, line) {
  const output = path.join(bench.folder, "output");
  const launcher = path.join(import.meta.dirname, "launch.py");
  const told = answer("python3", ["-I", "-S", launcher, output, String(LIMIT_S), ...line]);
  if (told === null) throw new Error("it could not be started");
  const used = JSON.parse(told);
  if (used.code !== 0) {
    const lines = readFileSync(`${output}.errors`, "utf8").trim().split("\n");
    const said = lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1);
    throw new Error(used.code === -9 ? `not done after ${LIMIT_S} s` : `it ended with ${used.code}: ${said}`);
  }
  return { ...used, output: readFileSync(output, "utf8") };
}

/** Returns the total size of all files in a folder, in bytes. */
function bytes(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => statSync(path.join(folder, name)))
    .reduce((sum, found) => sum + (found.isFile() ? found.size : 0), 0);
}

/** The folder with the store of this program's last run of this many iterations. */
const recorded = (bench, rounds) => path.join(bench.folder, `recorded-${rounds}.db`);

/** Runs this program once. The time of the loop alone is read from its journal. */
function runHere(bench, rounds, data) {
  const line = [bench.program, "run", bench.flow, "--input", `rounds=${rounds}`, "--data-dir", data];
  const used = launch(bench, line);
  const wanted = `${rounds} evaluator_done\n${expected(rounds).text}\n`;
  if (used.output !== wanted) throw new Error(`it gave another result: ${used.output.slice(0, 200)}`);
  const store = bytes(data);
  copyFileSync(path.join(data, "runs.db"), recorded(bench, rounds));
  const exported = path.join(bench.folder, "run.json");
  const args = ["runs", "export", "last", "--force", "-o", exported, "--data-dir", data];
  if (answer(bench.program, args) === null) throw new Error("its run could not be exported");
  return { ...used, store, ...journalTimes(JSON.parse(readFileSync(exported, "utf8")), rounds) };
}

/**
 * Returns the duration of the loop, and of its first and last hundred iterations, from the timestamps of its
 * records, in whole milliseconds.
 */
function journalTimes({ state, records }, rounds) {
  const begins = records.filter((record) => record.entry.type === "iteration_started");
  if (state.iterations !== rounds || begins.length !== rounds) throw new Error("it ran other iterations");
  const ended = records.findLast((record) => record.path === "loop").at;
  const times = { loopMs: ended - begins[0].at };
  if (rounds === MANY) {
    times.firstMs = begins[100].at - begins[0].at;
    times.lastMs = ended - begins[rounds - 100].at;
  }
  return times;
}

/** Runs a peer once. The peer itself reports its result and the duration of the loop. */
function runPeer(bench, peer, run) {
  const used = launch(bench, command(peer, peer.folder, run));
  const { count, total, text, ...times } = JSON.parse(used.output);
  const wanted = expected(run.rounds);
  if (count !== wanted.count || total !== wanted.total || text !== wanted.text)
    throw new Error(`it gave another result: ${count} iterations, a sum of ${total}`);
  return { ...used, store: peer.saver === "memory" ? 0 : bytes(run.data), ...times };
}

/**
 * Measures how fast plain SQLite writes the rows of this program's last run. The time is measured by the
 * writing program, from creating the store to closing it; reading the rows is not included.
 */
function runRows(bench, peer, { rounds, data }) {
  const used = launch(bench, command(peer, peer.folder, { source: recorded(bench, rounds), data }));
  const { loopMs, loopCpuMs, pythonMs } = JSON.parse(used.output);
  return { ms: loopMs, cpuMs: loopCpuMs, loopMs, pythonMs, store: bytes(data) };
}

/** Runs one system once in its own folder. A peer that fails is left out of later rounds, with the reason. */
function once(bench, system, rounds, waits) {
  if (system.why) return;
  const data = path.join(bench.folder, "data");
  mkdirSync(data);
  try {
    if (!system.of) return runHere(bench, rounds, data);
    return (system.of === "sqlite" ? runRows : runPeer)(bench, system, { rounds, data, waits });
  } catch (error) {
    if (!system.of) stop(`The loop failed in this program: ${error.message}.`);
    system.why = error.message;
  } finally {
    rmSync(data, { recursive: true });
  }
}

/**
 * Runs all systems in turn, round after round, so that the load of the machine affects all of them. The first
 * round fills caches and is dropped.
 */
function measureRounds(bench, systems) {
  const kept = new Map(systems.map((system) => [system, { [FEW]: [], [MANY]: [], steady: [] }]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    console.log(round === 0 ? "Warming up" : `Round ${round} of ${ROUNDS}`);
    for (const system of systems) {
      const runs = { [FEW]: once(bench, system, FEW), [MANY]: once(bench, system, MANY) };
      runs.steady = runsAhead(system) ? once(bench, system, MANY, true) : runs[MANY];
      if (round > 0) for (const [key, run] of Object.entries(runs)) kept.get(system)[key].push(run);
    }
  }
  return kept;
}

/**
 * Measures all systems and prints the table. `bench` has the program, a folder to work in, and the name of
 * its build.
 */
export function measurePeers(bench) {
  if (answer("python3", ["--version"]) === null) stop("Python 3 is needed to measure the programs.");
  Object.assign(process.env, ENV);
  const places = install();
  const here = { name: "Loopwright" };
  const systems = [here, ...PEERS.map((peer) => ({ ...peer, ...places[peer.of] }))];
  bench.flow = path.join(bench.folder, "flow.json");
  writeFileSync(bench.flow, JSON.stringify(flow()));
  if (answer(bench.program, ["validate", bench.flow])?.startsWith("No problems.") !== true)
    stop("The flow of the comparison is invalid.");

  say(`An iteration of one loop, from runs of ${MANY} and of ${FEW}, median of ${ROUNDS} (${bench.build})`);
  const kept = measureRounds(bench, systems);
  const base = figures(kept.get(here));
  const remarks = [];
  console.log(`\n${HEADING}`);
  for (const system of systems) {
    const found = system.why ? undefined : figures(kept.get(system));
    console.log(line(found ? row(system.name, found, base) : [system.name, system.why]));
    if (Number.isFinite(found?.python)) remarks.push(pythonPart(system.name, found));
  }
  console.log(`\n${remarks.join("\n")}`);
  console.log([...new Set(PEERS.map(versionOf))].join("; "));
}
