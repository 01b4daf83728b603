// `npm run torture`: runs are killed with SIGKILL and taken up again. Every boundary of the journal of every flow case and
// template, and 200 random instants of the real program on each template. 200 more instants with SIGTERM, SIGHUP and SIGKILL while
// an agent and an MCP server are under way. And 50 experiments, killed several times each, and workers
// on a PostgreSQL that are killed 50 times, or cut off. It prints counts; `npm test` does a small part of it.
// `npm run torture -- fuzz [--minutes 10] [--only TARGET,…]`: readers of outside bytes are given bytes that are made up.
import { parseArgs } from "node:util";
import { fuzz } from "./lib/fuzz.mjs";
import { cargo, say, show, stop } from "./lib/process.mjs";
import { prepare } from "./lib/setup.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: "string", default: "10" }, only: { type: "string" } },
});
const what = positionals[0] ?? "kills";
if (what === "kills") await kills();
else if (what === "fuzz") await fuzzing();
else stop(`There is no \`npm run torture -- ${what}\`; there are kills (the usual one) and fuzz.`, 2);

async function kills() {
  await prepare(["compile", "cluster"]);
  const env = { ...process.env, LOOPWRIGHT_TORTURE: "all" };
  say("Killed at every boundary of the journal, then at random instants");
  // Of the whole workspace, whose compiled dependencies `npm test` has left.
  const tests = ["torture", "endings", "evaluations", "cluster"].flatMap((name) => ["--test", name]);
  const args = cargo("test", "--workspace", "--no-fail-fast", ...tests, "--", "--nocapture");
  if ((await show("cargo", args, { env })) !== 0) {
    stop("Not every run came to what it would have come to; the reasons are above.");
  }
}

async function fuzzing() {
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) stop("--minutes is a number above 0, such as 10 or 0.2.", 2);
  await prepare(["compile"]);
  if (!(await fuzz({ minutes, only: values.only }))) stop("Something was found; the cases are above.");
}
