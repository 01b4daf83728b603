// `npm run torture -- leaving`: windows are left, closed, ended and killed while three runs are active. The rounds
// are in `leaving-rounds.mjs`, because Vitest drives windows.
import { existsSync } from "node:fs";
import path from "node:path";
import { root, show, stop } from "../lib/process.mjs";

/** Runs all rounds with the command line `program` and the window next to it. Returns true if all checks hold. */
export async function tortureLeaving({ program, rounds, seed }) {
  const window = path.join(path.dirname(program), "loopwright-desktop");
  if (!existsSync(window)) stop(`${window} is not built; \`npm test\` builds it.`);
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  const config = path.join(root, ".ci/unattended/vitest.config.mjs");
  const env = {
    ...process.env,
    CARGO_TARGET_DIR: path.dirname(path.dirname(program)),
    LOOPWRIGHT_ROUNDS: `${rounds}`,
    LOOPWRIGHT_SEED: `${seed}`,
  };
  return (await show(process.execPath, [vitest, "run", "--config", config], { env })) === 0;
}
