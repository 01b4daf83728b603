// `npm run bench`: measures whole runs of loops with the command line, and prints a table to standard output.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { measureCluster } from "./cluster/measure.mjs";
import { measured, median, node, storeBytes, wire } from "./lib/measured.mjs";
import { optionsOf } from "./lib/options.mjs";
import { builtProgram, cargo, say, show, stop } from "./lib/process.mjs";
import { prepare } from "./lib/setup.mjs";
import { measureLoad } from "./load/measure.mjs";
import { flow as comparedLoop } from "./peers/loop.mjs";
import { measurePeers } from "./peers/measure.mjs";

const ROUNDS = 5;
/**
 * The numbers of iterations of the measured loops. The cost of one iteration should not grow with the number.
 */
const ITERATIONS = [1, 50, 200, 1000];
/**
 * The loops: for each, the number of characters of the text, the number of nodes in the body, and whether the
 * text changes in every iteration.
 */
const LOOPS = [
  { length: 10, body: 1, changes: false },
  { length: 10_000, body: 1, changes: false },
  { length: 1_000, body: 3, changes: true },
];

const HELP = `npm run bench -- [WHAT [PART…]] [--dev | --program FILE]

Measures the command line, start to end, and prints a table. Without a name it measures loops.

  load      many calls at once, long lists, large values; or one of: calls, lists, values
  memory    the loop of the comparison in one process: without a journal, with one in memory, with SQLite
  peers     one loop here and in other systems, side by side
  workspace private copies of repositories: their cost compared with git alone, and their disk space
  cluster   runs in a shared store; or one of: loop, takeover, submit, append

  --dev            the development build, which is quicker to make and slower to run
  --program FILE   a command line that is built already
`;
const { words, ...values } = optionsOf(
  HELP,
  { dev: { type: "boolean" }, program: { type: "string" } },
  {
    load: ["calls", "lists", "values"],
    memory: [],
    peers: [],
    workspace: [],
    cluster: ["loop", "takeover", "submit", "append"],
  },
);
const [what, ...parts] = words;
const profile = values.dev ? "dev" : "release";
const build = values.program ? `program ${values.program}` : `${profile} build`;
const program = values.program ? path.resolve(values.program) : await built();
const folder = mkdtempSync(path.join(tmpdir(), "loopwright-bench-"));

if (what === "load") {
  await measureLoad({ program, folder, limitMs: 600_000, valueMb: 50 }, parts);
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}

if (what === "memory") {
  say(`The loop of the comparison in one process, 1,000 iterations, the fastest of 9 runs (${build})`);
  const file = path.join(folder, "loop.json");
  writeFileSync(file, JSON.stringify(comparedLoop()));
  let lines = "";
  const onOutput = (piece) => {
    lines += piece;
  };
  const { code } = await measured(program, ["flow", file], { onOutput });
  rmSync(folder, { recursive: true, force: true });
  if (code !== 0) stop(`The measurement failed (exit ${code}).`);
  console.log("| records go to | µs an iteration |\n| --- | ---: |");
  for (const [, where, micros] of lines.matchAll(/^(.+?) +([\d.]+) µs/gm)) {
    console.log(`| ${where} | ${(Number(micros) / 1000).toFixed(1)} |`);
  }
  process.exit();
}

if (what === "workspace") {
  say(`Copies of repositories, the fastest of 3 (${build})`);
  const code = await show(program, ["workspace"]);
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}

if (what === "peers") {
  measurePeers({ program, folder, build });
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}

if (what === "cluster") {
  say(`Runs in a shared store (${build})`);
  rmSync(folder, { recursive: true, force: true });
  process.exit((await measureCluster({ program, profile }, parts)) ? 0 : 1);
}

/** Builds the program to be measured, usually the command line. Returns its path. */
async function built() {
  const more = { peers: ["others"], cluster: ["cluster"] }[what] ?? [];
  await prepare(["compile", ...more]);
  const [made, name] =
    what === "memory" || what === "workspace"
      ? ["loopwright-bench", "loopwright-bench"]
      : ["loopwright-cli", "loopwright"];
  say(`Building ${name} (${profile})`);
  if ((await show("cargo", cargo("build", "-p", made, "--profile", profile))) !== 0) {
    stop(`${name} could not be built; the reason is above.`);
  }
  return builtProgram(name, values.dev ? "debug" : "release");
}

/** Returns a flow: Input, a Loop around Transforms that pass text on, Output. */
function flow(iterations, { body, changes }) {
  const steps = Array.from({ length: body }, (_, index) => `step${index}`);
  return {
    schemaVersion: 1,
    name: "bench",
    settings: { maxIterationsCeiling: 1000 },
    nodes: [
      node("in", "input", { name: "text" }),
      node("loop", "loop", { maxIterations: iterations, exitCondition: "max_iterations" }),
      ...steps.map((step, index) => {
        const template = changes && index === 0 ? "{{ run.inputs.text }}{{ loopIndex }}" : "{{ input }}";
        return node(step, "transform", { template });
      }),
      node("exit", "exit", {}),
      node("out", "output", { name: "result" }),
    ],
    edges: [
      wire("in", "value", "loop", "input"),
      wire("loop", "body", steps[0], "input"),
      ...steps.slice(1).map((step, index) => wire(steps[index], "output", step, "input")),
      wire(steps.at(-1), "output", "exit", "input"),
      wire(steps.at(-1), "output", "loop", "feedback"),
      wire("exit", "output", "out", "value"),
    ],
  };
}

/**
 * Runs the flow once in its own store. `--json` is not used, since it would keep every iteration in memory to
 * print it. Returns the duration in milliseconds, the peak memory in MB and the store's size in KB.
 */
async function once(file, text, number) {
  const data = path.join(folder, `data-${number}`);
  let out = "";
  const { ms, memory, code } = await measured(
    program,
    ["run", file, "--input", `text=${text}`, "--data-dir", data],
    {
      onOutput: (piece) => {
        out += piece;
      },
    },
  );
  if (code !== 0 || !out.startsWith(text)) stop(`The run of ${file} failed (exit ${code}).`);
  const store = storeBytes(data) / 1024;
  rmSync(data, { recursive: true });
  return { ms, memory, store };
}

say(`Loops, median of ${ROUNDS} (${build})`);
const cells = ["nodes", "characters", "iterations", "whole ms", "µs an iteration", "memory MB", "store KB"];
console.log(`| ${cells.join(" | ")} |\n|${cells.map(() => " ---: |").join("")}`);
const flat = [];
for (const loop of LOOPS) {
  let least = 0;
  const known = new Map();
  for (const iterations of ITERATIONS) {
    const file = path.join(folder, `bench-${iterations}.json`);
    writeFileSync(file, JSON.stringify(flow(iterations, loop)));
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push(await once(file, "x".repeat(loop.length), round));
    const ms = median(rounds.map((round) => round.ms));
    if (iterations === ITERATIONS[0]) least = ms;
    // A run of one iteration measures the program's start and end, not the loop.
    const each = iterations > 1 ? ((ms - least) * 1000) / (iterations - 1) : undefined;
    const memory = median(rounds.map((round) => round.memory));
    known.set(iterations, { each, memory });
    const row = [
      loop.body,
      loop.length,
      iterations,
      ms.toFixed(0),
      each?.toFixed(0) ?? "",
      memory.toFixed(0),
    ];
    row.push(median(rounds.map((round) => round.store)).toFixed(0));
    console.log(`| ${row.join(" | ")} |`);
  }
  const [few, many] = [known.get(50), known.get(1000)];
  flat.push(
    `${loop.body} nodes, ${loop.length} characters: an iteration of 1,000 costs ${(many.each / few.each).toFixed(2)} × one of 50, with ${(many.memory - few.memory).toFixed(1)} MB more memory`,
  );
}
console.log(`\n${flat.join("\n")}`);
rmSync(folder, { recursive: true, force: true });
