// `npm run torture`: runs are killed with SIGKILL and taken up again. Every boundary of the journal of every flow case and
// template, and 200 random instants of the real program on each template. 200 more instants with SIGTERM, SIGHUP and SIGKILL while
// an agent and an MCP server are under way. It prints counts; `npm test` does a small part of it.
import { cargo, say, show, stop } from "./lib/process.mjs";
import { prepare } from "./lib/setup.mjs";

await prepare(["compile"]);
const env = { ...process.env, LOOPWRIGHT_TORTURE: "all" };
say("Killed at every boundary of the journal, then at random instants");
// Of the whole workspace, whose compiled dependencies `npm test` has left.
const tests = ["--test", "torture", "--test", "endings"];
const args = cargo("test", "--workspace", "--no-fail-fast", ...tests, "--", "--nocapture");
if ((await show("cargo", args, { env })) !== 0) {
  stop("Not every run came to what it would have come to; the reasons are above.");
}
