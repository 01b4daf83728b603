// What is built, and the three test suites: the pages' units, the Rust crates, the real window. Each adds to a tally.
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
import { buildFolder, cargo, root, say, show, showAndRead } from "./process.mjs";

/** The pages go into the program, so they come first; false when they could not be built. */
export async function buildPages() {
  say("Building the pages");
  return (await show("npm", ["run", "--silent", "ui:build"])) === 0;
}

/**
 * Everything at once: programs, tests and examples. Built one by one, cargo would choose other features for what they
 * share and compile the largest dependencies once for each.
 */
export async function buildRust() {
  forgetOtherCheckout();
  say("Building the Rust crates, their tests and the program (some minutes the first time)");
  return (await build("the Rust crates", ["--workspace", "--all-targets"])) === 0;
}

/**
 * Tests hold the path of the checkout that they were compiled in, and cargo does not notice when a shared build folder was
 * filled from another one whose files are as old: what was compiled of the workspace there is compiled again.
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

export async function testUi(tally) {
  say("Tests of the pages' parts");
  await vitest("ui/vite.config.ts", tally);
}

export async function testRust(tally) {
  say("Tests of the Rust crates");
  const before = tally.failed;
  const args = cargo("test", "--workspace", "--no-fail-fast");
  const env = { ...process.env, CARGO_TERM_COLOR: process.stdout.isTTY ? "always" : "never" };
  const code = await showAndRead("cargo", args, (line) => tally.cargoLine(line), { env, silence: 10 });
  tally.step(code, before);
}

/**
 * Needs `buildRust`. A journey that fails is tried once more in a new window, because another program can take the
 * machine for seconds: the summary names what passed only then. Where more than a few fail, the cause is another.
 */
export async function testWindow(tally) {
  say("Journeys through the real window");
  await vitest("e2e/vitest.config.ts", tally, { triedAgain: 3 });
}

/** `triedAgain`: up to how many files with failed tests are run a second time. */
async function vitest(config, tally, { triedAgain = 0 } = {}) {
  const before = tally.failed;
  let { code, report } = await vitestOnce(config);
  const failed = failedFiles(report);
  if (failed.length > 0 && failed.length <= triedAgain) {
    say(`Trying again: ${failed.map((file) => path.basename(file)).join(", ")}`);
    const second = await vitestOnce(config, failed);
    tally.triedAgain(report, second.report);
    code = second.code;
    report = withSecondTry(report, second.report);
  }
  tally.vitest(report);
  tally.step(code, before);
}

/** What Vitest's `json` reporter says; null where it wrote nothing. */
async function vitestOnce(config, files = []) {
  const folder = mkdtempSync(path.join(tmpdir(), "loopwright-report-"));
  const file = path.join(folder, "report.json");
  const code = await show(process.execPath, [
    path.join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--config",
    config,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${file}`,
    ...files,
  ]);
  const report = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
  rmSync(folder, { recursive: true, force: true });
  return { code, report };
}

const failedFiles = (report) =>
  (report?.testResults ?? []).filter(({ status }) => status === "failed").map(({ name }) => name);

/** The report with each file that was tried again as it was then; one that the second try does not have stays failed. */
function withSecondTry(report, second) {
  const again = new Map((second?.testResults ?? []).map((result) => [result.name, result]));
  return { testResults: report.testResults.map((result) => again.get(result.name) ?? result) };
}
