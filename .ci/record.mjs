// `npm run record`: collects what the tests of the pages ask Rust about their own flows, and records the answers.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { optionsOf } from "./lib/options.mjs";
import { root, say, show, stop } from "./lib/process.mjs";

const HELP = `npm run record [-- --only NAME,…]

Runs the tests of the pages and records what Rust answers to them. Run it after a test that asks something new.

  --only NAME,…   only the test files whose paths contain a name; without it, answers that no test asks for any
                  more are removed, unless a test fails
`;
const { only } = optionsOf(HELP, { only: { type: "string" } });
const names = only?.split(",") ?? [];

const QUESTIONS = path.join(root, "ui/src/ipc/generated/recorded/questions.json");

/**
 * The maximum number of rounds. An answer may lead to further questions, so the tests run again until they
 * ask nothing new.
 */
const MOST_ROUNDS = 6;

const folder = mkdtempSync(path.join(tmpdir(), "loopwright-questions-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Returns the recorded questions, one per line. */
const recorded = () =>
  readFileSync(QUESTIONS, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => line.replace(/,$/, ""));

function write(lines) {
  const sorted = [...new Set(lines)].sort();
  writeFileSync(QUESTIONS, `[\n${sorted.join(",\n")}\n]\n`);
}

/** Runs the tests. Returns the questions that they asked, and whether all tests passed. */
async function ask(round) {
  say(`Asking (round ${round})`);
  const file = path.join(folder, `${round}.jsonl`);
  const env = { ...process.env, LOOPWRIGHT_QUESTIONS: file };
  // A test whose question has no answer fails. Once all are answered, `npm test` says which tests fail.
  const vitest = ["vitest", "run", "--config", "ui/vite.config.ts", "--reporter=dot", ...names];
  const code = await show("npx", vitest, { env });
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  return { asked: new Set(lines), allPassed: code === 0 };
}

for (let round = 1; ; round++) {
  if (round > MOST_ROUNDS) stop(`The tests still ask something new after ${MOST_ROUNDS} rounds.`);
  const known = recorded();
  const { asked, allPassed } = await ask(round);
  const isNew = [...asked].some((line) => !known.includes(line));
  // A test that fails may not have asked everything.
  const isAll = names.length === 0 && allPassed;
  write(isAll ? asked : [...known, ...asked]);
  if ((await show("npm", ["run", "--silent", "codegen"])) !== 0)
    stop("Rust could not answer; the reason is above.");
  if (!isNew) break;
}
