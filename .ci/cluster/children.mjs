// Programs that the tortures start. They end with the script, however it ends.
import { spawn } from "node:child_process";
import os from "node:os";

/** Everything here leaves the processor to others first. Children inherit it. */
export function yieldToOthers() {
  if (os.getPriority() < 5) os.setPriority(5);
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const living = new Set();

/** Programs that still run are killed; those that were frozen too. */
export function killAll() {
  for (const child of living) child.kill("SIGKILL");
}

process.on("exit", killAll);
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
])
  process.on(signal, () => process.exit(code));

/**
 * Starts a program. `setpriv` has the system kill it when this script is gone, which a script that is killed cannot do itself.
 * `child.ended` resolves to its exit status, or the name of its signal. `as`: `{ uid, gid }` of another user.
 */
export function start(program, args, { as, ...options } = {}) {
  const other = as ? [`--reuid=${as.uid}`, `--regid=${as.gid}`, "--clear-groups"] : [];
  const child = spawn("setpriv", ["--pdeathsig", "KILL", ...other, program, ...args], options);
  living.add(child);
  child.ended = new Promise((resolve) => {
    child.on("error", (error) => {
      living.delete(child);
      resolve(error.message);
    });
    child.on("close", (code, signal) => {
      living.delete(child);
      resolve(code ?? signal);
    });
  });
  return child;
}

/** Runs a program to its end: exit status (or signal), what it said on each of its outputs, and milliseconds. */
export async function run(program, args, { input, killAfterMs, ...options } = {}) {
  const begun = performance.now();
  const child = start(program, args, { stdio: ["pipe", "pipe", "pipe"], cwd: "/", ...options });
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? "");
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const [out, err] = [[], []];
  child.stdout.on("data", (piece) => out.push(piece));
  child.stderr.on("data", (piece) => err.push(piece));
  const status = await child.ended;
  clearTimeout(timer);
  const text = (pieces) => Buffer.concat(pieces).toString("utf8");
  return { status, out: text(out), err: text(err), ms: performance.now() - begun };
}

/** As `run`, for what must not fail. Gives standard output. */
export async function done(program, args, options) {
  const { status, out, err } = await run(program, args, options);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${status}\n${out}${err}`);
  return out;
}

/** Waits until `holds` gives something that is true, and gives that. After `limitMs` it fails with what `late` says. */
export async function until(what, holds, { limitMs = 120_000, everyMs = 100, late } = {}) {
  const begun = performance.now();
  for (;;) {
    const found = await holds();
    if (found) return found;
    if (performance.now() - begun > limitMs) {
      const more = late ? `\n${await late()}` : "";
      throw new Error(`${what}: not within ${Math.round(limitMs / 1000)} s${more}`);
    }
    await sleep(everyMs);
  }
}
