// `npm run torture`: runs are killed with SIGKILL and taken up again. Every boundary of the journal of every flow case and
// template, and 200 random instants of the real program on each template. It prints counts; `npm test` does a small part of it.
import { cargo, say, show, stop } from "./lib/process.mjs";
import { prepare } from "./lib/setup.mjs";

await prepare(["compile"]);
const env = { ...process.env, LOOPWRIGHT_TORTURE: "all" };
const suites = [
  ["Killed at every boundary of the journal", "loopwright-api"],
  ["Killed at random instants", "loopwright-cli"],
];
let failed = 0;
for (const [title, crate] of suites) {
  say(title);
  const args = cargo("test", "-p", crate, "--test", "torture", "--", "--nocapture");
  if ((await show("cargo", args, { env })) !== 0) failed += 1;
}
if (failed > 0) stop("Not every run came to what it would have come to; the reasons are above.");
