// `npm run check`: runs everything that CI runs, once each. Formatting, lints, generated files and licences
// come first, then every test.
import { optionsOf } from "./lib/options.mjs";
import { builtProgram, cargo, root, say, show, stop } from "./lib/process.mjs";
import { prepare } from "./lib/setup.mjs";
import { buildPages, buildRust, runSuites, SUITES } from "./lib/suites.mjs";
import { Tally } from "./lib/tally.mjs";

const HELP = `npm run check [-- --quick | --fast]

Form, lints, generated files and licences, then every test.

  --quick   only what needs nothing of Loopwright compiled: form, lints of the pages, types, architecture, licences
  --fast    without the tests
`;
const values = optionsOf(HELP, { fast: { type: "boolean" }, quick: { type: "boolean" } });
if (values.fast && values.quick) stop("Choose one of `--quick` and `--fast`.", 2);

const npm = (script) => ["npm", ["run", "--silent", script]];
/**
 * A full check builds the xtask chores together with the workspace, with the same features. A quick check
 * compiles them alone, in seconds.
 */
const xtask = (chore) =>
  values.quick
    ? ["cargo", [...cargo("run", "--quiet", "-p", "xtask"), "--", chore]]
    : [builtProgram("xtask"), [chore]];

/** Checks that only read the sources. */
const OF_SOURCES = [
  ["Rust is formatted", "cargo", cargo("fmt", "--all", "--check")],
  ["The pages are formatted and linted", ...npm("lint")],
  ["The pages' types agree", ...npm("types")],
];
const OF_PROJECT = [
  ["The architecture holds", ...xtask("tidy")],
  ["Every licence is allowed", ...xtask("licences")],
];
const OF_PROGRAM = [
  ["Generated files are what the sources give", builtProgram("loopwright-codegen"), ["--check"]],
];

const broken = [];
let checks = 0;

/** Runs these checks, and records those that fail. */
async function check(list) {
  for (const [name, command, args] of list) {
    say(name);
    const begun = performance.now();
    const code = await show(command, args, { cwd: root });
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    console.log(code === 0 ? `yes (${seconds} s)` : `no (exit ${code}, ${seconds} s)`);
    checks += 1;
    if (code !== 0) broken.push(name);
  }
}

/**
 * Makes Clippy compile the workspace, in this build and in the tests after it: Clippy is the compiler with
 * more lints. A separate `cargo clippy` would first check every dependency again, which takes two minutes. A
 * warning ends the build.
 */
function lintWhileBuilding() {
  process.env.RUSTC_WORKSPACE_WRAPPER = "clippy-driver";
  // The arguments in the form in which `cargo clippy` passes them on: each is followed by Clippy's own
  // separator.
  process.env.CLIPPY_ARGS = ["-D", "warnings"].map((arg) => `${arg}__CLIPPY_HACKERY__`).join("");
}

const tally = new Tally();
if (values.quick) {
  await prepare(["compile", "pages"]);
  await check([...OF_SOURCES, ...OF_PROJECT]);
} else {
  await prepare(
    values.fast
      ? ["compile", "window"]
      : ["compile", "repositories", "window", "others", "cluster", "desktop", "drive"],
  );
  // Checks that take seconds run before those that take minutes.
  await check(OF_SOURCES);
  if (!(await buildPages())) stop("The pages could not be built; the reason is above.");
  lintWhileBuilding();
  if (!(await buildRust())) stop("Clippy found something, or the Rust crates could not be built; see above.");
  await check([...OF_PROJECT, ...OF_PROGRAM]);
  if (!values.fast) await runSuites(Object.keys(SUITES), tally);
}

say("Summary");
console.log(`${checks - broken.length} of ${checks} checks passed`);
for (const name of broken) console.log(`  failed: ${name}`);
tally.passed += checks - broken.length;
tally.failed += broken.length;
console.log(tally.line());
process.exitCode = tally.failed === 0 ? 0 : 1;
