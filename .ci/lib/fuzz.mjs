// `npm run torture -- fuzz`: fuzzes every reader of external bytes for some minutes. An input that makes a
// reader panic, hang or take too much memory is kept and reported, with what to do about it.
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { answer, buildFolder, has, root, say, show, stop } from "./process.mjs";

const CARGO_FUZZ = "0.13.2";
/** The time limit of one input in seconds, and the memory limit of a target in megabytes. */
const TIMEOUT = 2;
const MEMORY = 500;

const rust = path.join(root, "src-tauri");
const folder = path.join(rust, "fuzz");
const corpus = path.join(rust, "crates/fuzzing/corpus");

/** The sample files of the import tests, which serve as further seeds. */
const IMPORTS = path.join(rust, "crates/api/tests/imports");
const MORE_SEEDS = {
  flow_file: [path.join(rust, "crates/engine/tests/flows"), path.join(root, "templates")],
  import_tea: [path.join(IMPORTS, "tea")],
  import_containers: [path.join(IMPORTS, "containers")],
  import_loom: [path.join(IMPORTS, "loom")],
  import_logic_apps: [path.join(IMPORTS, "loom")],
  import_aistudio: [path.join(IMPORTS, "aistudio")],
  import_ralph: [path.join(IMPORTS, "ralph")],
};

/** Builds the targets and runs the requested ones in sequence. Returns false if one found something. */
export async function fuzz({ minutes, only }) {
  const targets = chosen(only);
  await installCargoFuzz();
  await build(targets);
  const rows = [];
  for (const target of targets) {
    say(`Fuzzing ${target} for ${minutes} min`);
    rows.push(await run(target, minutes));
  }
  say("Fuzzing");
  table(rows);
  for (const row of rows) for (const found of row.found) explain(row.target, found);
  return rows.every((row) => row.code === 0);
}

function chosen(only) {
  const manifest = readFileSync(path.join(folder, "Cargo.toml"), "utf8");
  const targets = [...manifest.matchAll(/\[\[bin\]\]\s+name = "(\w+)"/g)].map((match) => match[1]);
  if (only === undefined) return targets;
  const wanted = only.split(",");
  const unknown = wanted.find((name) => !targets.includes(name));
  if (unknown !== undefined) stop(`Unknown target \`${unknown}\`. The targets are ${targets.join(", ")}.`, 2);
  return wanted;
}

async function installCargoFuzz() {
  if (answer("cargo", ["fuzz", "--version"]) !== null) return;
  say(`Installing cargo-fuzz ${CARGO_FUZZ} (builds the fuzz targets; some minutes, once)`);
  if (!has("c++") && !has("g++") && !has("clang++")) stop("A C++ compiler is needed for libFuzzer.");
  const install = ["install", "cargo-fuzz", "--locked", "--version", CARGO_FUZZ];
  if ((await show("cargo", install)) !== 0) stop("cargo-fuzz could not be installed; the reason is above.");
}

/**
 * Builds the targets without a sanitizer: it would need a nightly compiler, and Rust without `unsafe` gains
 * little from it.
 */
async function build(targets) {
  say("Building the fuzz targets (many minutes the first time)");
  // Only some targets link the dictionaries and the search index, which take longest to compile.
  const all = targets.some((target) => target.startsWith("stream_") || target === "run_file");
  // The fuzz targets use the same versions of dependencies as the shipped program.
  copyFileSync(path.join(rust, "Cargo.lock"), path.join(folder, "Cargo.lock"));
  const flags = ["--sanitizer", "none", "--no-cfg-fuzzing", "--strip-dead-code"];
  if (!all) flags.push("--no-default-features");
  const env = { ...process.env, CARGO_TARGET_DIR: targetFolder() };
  if ((await show("cargo", ["fuzz", "build", "--fuzz-dir", folder, ...flags], { env })) !== 0) {
    stop("The fuzz targets could not be built; the reason is above.");
  }
}

/** Returns a separate build folder, because everything is compiled with other flags. */
function targetFolder() {
  return process.env.LOOPWRIGHT_FUZZ_TARGET_DIR ?? path.join(buildFolder(), "fuzz");
}

function program(target) {
  const host = /host: (\S+)/.exec(answer("rustc", ["-vV"]) ?? "")?.[1] ?? "";
  return path.join(targetFolder(), host, "release", target);
}

async function run(target, minutes) {
  // The learned corpus is kept for the next time, outside the repository.
  const learned = path.join(targetFolder(), "corpus", target);
  const artifacts = path.join(targetFolder(), "artifacts", target);
  for (const made of [learned, artifacts]) mkdirSync(made, { recursive: true });
  const seeds = ["seeds", "found"].map((name) => path.join(corpus, target, name));
  const before = new Set(readdirSync(artifacts));
  const scratch = mkdtempSync(path.join(tmpdir(), "loopwright-fuzz-"));
  const log = { lines: [] };
  const code = await libFuzzer(
    program(target),
    [
      `-max_total_time=${Math.max(1, Math.round(minutes * 60))}`,
      `-timeout=${TIMEOUT}`,
      `-rss_limit_mb=${MEMORY}`,
      `-artifact_prefix=${artifacts}/`,
      `-dict=${path.join(folder, "dicts", `${target}.dict`)}`,
      "-print_final_stats=1",
      "-max_len=32768",
      learned,
      ...[...seeds, ...(MORE_SEEDS[target] ?? [])].filter((seed) => existsSync(seed)),
    ],
    log,
    { TMPDIR: scratch },
  );
  rmSync(scratch, { recursive: true, force: true });
  const found = readdirSync(artifacts)
    // A slow input that stays within the limit is not a finding.
    .filter((name) => !before.has(name) && !name.startsWith("slow-unit-"))
    .map((name) => path.join(artifacts, name));
  if (code !== 0) console.log(log.lines.slice(-60).join("\n"));
  const stat = (name) =>
    log.lines.map((line) => line.match(new RegExp(`^stat::${name}:\\s+(\\d+)`))?.[1]).findLast(Boolean) ??
    "–";
  return {
    target,
    code,
    found,
    executions: stat("number_of_executed_units"),
    added: stat("new_units_added"),
    memory: stat("peak_rss_mb"),
  };
}

/** Runs libFuzzer. Returns its exit status and the end of its output. */
function libFuzzer(command, args, log, env) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env } });
    let rest = "";
    let shown = 0;
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      log.lines.push(...lines);
      log.lines.splice(0, Math.max(0, log.lines.length - 400));
      // Prints a line twice a minute, so that the program does not seem to hang.
      if (Date.now() - shown > 30_000 && lines.length > 0) {
        shown = Date.now();
        console.log(`  ${lines.at(-1)}`);
      }
    });
    child.stdout.resume();
    child.on("error", (error) => {
      log.lines.push(`${command} could not start: ${error.message}`);
      resolve(127);
    });
    child.on("close", (code, signal) => {
      if (rest) log.lines.push(rest);
      resolve(code ?? (signal ? 130 : 1));
    });
  });
}

function table(rows) {
  const columns = ["target", "executions", "new units", "findings", "peak MB"];
  const cells = rows.map((row) => [
    row.target,
    row.executions,
    row.added,
    String(row.code === 0 ? 0 : Math.max(1, row.found.length)),
    row.memory,
  ]);
  const widths = columns.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at].length)));
  for (const row of [columns, ...cells]) {
    console.log(
      row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join("  "),
    );
  }
}

function explain(target, found) {
  const shown = path.relative(process.cwd(), found);
  const into = path.relative(process.cwd(), path.join(corpus, target, "found"));
  console.log(`
Found in ${target}: ${shown}
  Again:     ${path.relative(process.cwd(), program(target))} ${shown}
  Smaller:   ${path.relative(process.cwd(), program(target))} -minimize_crash=1 -max_total_time=60 ${shown}
  To keep:   copy the smallest into ${into}/ under a name that says what it is, mend the cause,
             and commit both. \`npm test\` runs every case in that folder again.`);
}
