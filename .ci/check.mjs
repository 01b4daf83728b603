// `npm run check`: what CI runs. Form, lints, generated files and licences first, then every test, each thing once.
import { optionsOf } from "./lib/options.mjs";
import { builtProgram, cargo, root, say, show, stop } from "./lib/process.mjs";
import { prepare } from "./lib/setup.mjs";
import { buildPages, buildRust, testRust, testUi, testWindow } from "./lib/suites.mjs";
import { Tally } from "./lib/tally.mjs";

const HELP = `npm run check [-- --fast]

Form, lints, generated files and licences, then every test.

  --fast   without the tests
`;
const values = optionsOf(HELP, { fast: { type: "boolean" } });

const npm = (script) => ["npm", ["run", "--silent", script]];
const xtask = (chore) => [builtProgram("xtask"), [chore]];

const CHECKS = [
  ["Rust is formatted", "cargo", cargo("fmt", "--all", "--check")],
  ["The pages are formatted and linted", ...npm("lint")],
  ["The pages' types agree", ...npm("types")],
  ["Generated files are what the sources give", builtProgram("loopwright-codegen"), ["--check"]],
  ["The architecture holds", ...xtask("tidy")],
  ["Every licence is allowed", ...xtask("licences")],
  [
    "Clippy finds nothing",
    "cargo",
    [...cargo("clippy", "--workspace", "--all-targets", "--quiet"), "--", "-D", "warnings"],
  ],
];

await prepare(values.fast ? ["compile", "window"] : ["compile", "window", "others", "cluster", "drive"]);
if (!(await buildPages())) stop("The pages could not be built; the reason is above.");
if (!(await buildRust())) stop("The Rust crates could not be built; the reason is above.");

const broken = [];
for (const [name, command, args] of CHECKS) {
  say(name);
  const begun = performance.now();
  const code = await show(command, args, { cwd: root });
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(code === 0 ? `yes (${seconds} s)` : `no (exit ${code}, ${seconds} s)`);
  if (code !== 0) broken.push(name);
}

const tally = new Tally();
if (!values.fast) {
  await testUi(tally);
  await testRust(tally);
  await testWindow(tally);
}

say("Summary");
console.log(`${CHECKS.length - broken.length} of ${CHECKS.length} checks hold`);
for (const name of broken) console.log(`  does not hold: ${name}`);
tally.passed += CHECKS.length - broken.length;
tally.failed += broken.length;
console.log(tally.line());
process.exitCode = tally.failed === 0 ? 0 : 1;
