// The builds, and the three test suites: the unit tests of the pages, the Rust crates, the real window. Each
// suite adds its counts to a tally.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "./build.mjs";
import { buildFolder, cargo, root, say, show, showAndRead, showAs } from "./process.mjs";
import { Tally } from "./tally.mjs";

/** Builds the pages, which the program includes. Returns false if they could not be built. */
export async function buildPages() {
  say("Building the pages");
  return (await show("npm", ["run", "--silent", "ui:build"])) === 0;
}

/**
 * Builds everything at once: programs, tests and examples. In separate builds, cargo would choose different
 * features for shared dependencies and compile the largest ones once for each.
 */
export async function buildRust() {
  forgetOtherCheckout();
  say("Building the Rust crates, their tests and the program (some minutes the first time)");
  return (await build("the Rust crates", ["--workspace", "--all-targets"])) === 0;
}

/**
 * Makes cargo recompile the workspace's crates if the shared build folder was filled from another checkout.
 * Tests contain the path of the checkout in which they were compiled, and cargo does not notice the
 * difference if the files of both are equally old.
 */
function forgetOtherCheckout() {
  const folder = buildFolder();
  const stamp = path.join(folder, "loopwright-checkout");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === root) return;
  for (const profile of existsSync(folder) ? readdirSync(folder) : []) {
    const prints = path.join(folder, profile, ".fingerprint");
    for (const one of existsSync(prints) ? readdirSync(prints) : []) {
      if (/^(loopwright|xtask)-/.test(one)) rmSync(path.join(prints, one), { recursive: true });
    }
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(stamp, root);
}

/** The suites by the names that `--only` takes. */
export const SUITES = { ui: testUi, rust: testRust, window: testWindow };

/**
 * The number of windows that are driven at once, each on its own display. A journey spends half of its time
 * waiting for its window.
 */
const DISPLAYS = 2;

/**
 * Runs these suites and adds their counts. The journeys run in parallel with the Rust tests, because either
 * alone leaves a core idle for minutes. If only a few tests fail, they are run again when nothing else runs.
 */
export async function runSuites(names, tally) {
  const ui = new Tally();
  const rust = new Tally();
  const window = new Tally();
  const pages = names.includes("ui") ? await testUi(ui) : undefined;
  const again = await Promise.all([
    names.includes("rust") ? testRust(rust) : undefined,
    names.includes("window") ? testWindow(window) : undefined,
  ]);
  for (const second of [pages, ...again]) await second?.();
  tally.add(ui);
  tally.add(rust);
  tally.add(window);
}

/** Runs the tests of the pages. Returns a function that runs a few failed files again, like that of `testWindow`. */
async function testUi(tally) {
  say("Tests of the pages' parts");
  const config = "ui/vite.config.ts";
  const first = await vitestOnce(config);
  return () => vitestAgain(config, [first], tally);
}

/**
 * The maximum number of failed tests, or of journey test files, that are run a second time. A few may fail only
 * because other programs kept the machine busy; more failures have another cause.
 */
const TRIED_AGAIN = 3;

/** Runs the Rust tests. Returns a function that runs a few failed tests again, like that of `testWindow`. */
async function testRust(tally) {
  say("Tests of the Rust crates");
  const before = tally.failed;
  const code = await cargoTest(tally);
  const failed = [...new Set(tally.failedRust)];
  if (failed.length === 0 || failed.length > TRIED_AGAIN || tally.failed - before !== failed.length) {
    tally.step(code, before, `cargo test ended with status ${code}`);
    return () => undefined;
  }
  return async () => {
    say(`Trying again: ${failed.join(", ")}`);
    const second = new Tally();
    await cargoTest(second, ["--", "--exact", ...failed]);
    // The second run counts only if it has a result for each of the failed tests.
    if (second.passed + second.failed >= failed.length) tally.triedRustAgain(second);
  };
}

/** Runs the tests of all crates. Returns cargo's exit status. */
function cargoTest(tally, args = []) {
  const env = { ...process.env, CARGO_TERM_COLOR: process.stdout.isTTY ? "always" : "never" };
  const test = cargo("test", "--workspace", "--no-fail-fast", ...args);
  return showAndRead("cargo", test, (line) => tally.cargoLine(line), { env, silence: 10 });
}

/**
 * Runs the journeys, which need `buildRust`. A journey that fails is run once more in a new window, because
 * another program can occupy the machine for seconds. The summary names the journeys that passed only then.
 * Returns the function that starts the second run, so that the caller can decide when to run it.
 */
async function testWindow(tally) {
  say(`Journeys through the real window, on ${DISPLAYS} displays`);
  const config = "e2e/vitest.config.ts";
  const parts = Array.from({ length: DISPLAYS }, (_, index) => index + 1);
  const first = await Promise.all(
    parts.map((part) =>
      vitestOnce(config, { args: [`--shard=${part}/${DISPLAYS}`], name: `display ${part}` }),
    ),
  );
  return () => vitestAgain(config, first, tally);
}

/** Counts these first runs of Vitest. If only a few files failed, they are run again. */
async function vitestAgain(config, first, tally) {
  const failed = first.flatMap(({ report }) => failedFiles(report));
  const isTriedAgain = failed.length > 0 && failed.length <= TRIED_AGAIN;
  if (isTriedAgain) say(`Trying again: ${failed.map((file) => path.basename(file)).join(", ")}`);
  const second = isTriedAgain ? await vitestOnce(config, { args: failed }) : null;
  for (const { code, report } of first) {
    const before = tally.failed;
    if (report === null || second === null || failedFiles(report).length === 0) {
      tally.vitest(report, `the report of ${config}`);
      tally.step(code, before, `${config} ended with status ${code}`);
    } else {
      tally.triedAgain(report, second.report);
      const merged = withSecondTry(report, second.report);
      tally.vitest(merged);
      // The exit status of the second run may be due to a file of another display.
      if (failedFiles(merged).length > 0)
        tally.step(second.code, before, `${config} ended with status ${second.code}`);
    }
  }
}

/**
 * Runs Vitest. Returns its exit status and the report of its `json` reporter, which is null if it wrote none.
 * With a `name`, each line of the output begins with that name.
 */
async function vitestOnce(config, { args = [], name } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), "loopwright-report-"));
  const file = path.join(folder, "report.json");
  const command = [
    path.join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--config",
    config,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${file}`,
    ...args,
  ];
  const code = await (name ? showAs(name, process.execPath, command) : show(process.execPath, command));
  const report = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
  rmSync(folder, { recursive: true, force: true });
  return { code, report };
}

const failedFiles = (report) =>
  (report?.testResults ?? []).filter(({ status }) => status === "failed").map(({ name }) => name);

/**
 * Returns the report of the first run with the results of the second run for each file that was run again. A
 * file without a second result still counts as failed.
 */
function withSecondTry(report, second) {
  const again = new Map((second?.testResults ?? []).map((result) => [result.name, result]));
  return { testResults: report.testResults.map((result) => again.get(result.name) ?? result) };
}
