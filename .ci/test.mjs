// `npm test`: sets up what is missing, then runs every test: the pages' units, the Rust crates, the real
// window.
import { optionsOf } from "./lib/options.mjs";
import { say, stop } from "./lib/process.mjs";
import { prepare } from "./lib/setup.mjs";
import { buildPages, buildRust, runSuites, SUITES } from "./lib/suites.mjs";
import { Tally } from "./lib/tally.mjs";

const HELP = `npm test [-- --only SUITE,…]

Sets up what is missing, then runs every test.

  --only SUITE,…   some of them: ${Object.keys(SUITES).join(", ")}
`;
const values = optionsOf(HELP, { only: { type: "string" } });
const chosen = values.only?.split(",") ?? Object.keys(SUITES);
const unknown = chosen.find((name) => !(name in SUITES));
if (unknown !== undefined)
  stop(`Unknown suite \`${unknown}\`. The suites are ${Object.keys(SUITES).join(", ")}.`, 2);

const needed = ["compile", "window"];
if (chosen.includes("rust")) needed.push("repositories", "others", "cluster", "desktop");
if (chosen.includes("window")) needed.push("desktop", "drive");
await prepare(needed);
if (!(await buildPages())) stop("The pages could not be built; the reason is above.");
if (chosen.some((name) => name !== "ui") && !(await buildRust())) {
  stop("The Rust crates could not be built; the reason is above.");
}
const tally = new Tally();
await runSuites(chosen, tally);
say("All tests");
console.log(tally.line());
process.exitCode = tally.failed === 0 && tally.passed > 0 ? 0 : 1;
