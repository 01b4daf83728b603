// Records the calls that tests make to the double, for `npm run record`. Vitest loads this file before each
// test file.
import { appendFileSync } from "node:fs";

const file = process.env.LOOPWRIGHT_QUESTIONS;

if (file !== undefined) {
  const { canonical, listener } = await import("./recorded");
  listener.asks = (command, args) =>
    appendFileSync(file, `{"command":${canonical(command)},"args":${canonical(args)}}\n`);
}
