// Child programs of the torture tests. They are killed when the script ends, even if the script itself is
// killed.
import { spawn } from "node:child_process";
import os from "node:os";

/** Lowers the priority of this process and of the children that it starts. */
export function yieldToOthers() {
  if (os.getPriority() < 5) os.setPriority(5);
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const living = new Set();

/** Kills all programs that are still running, including frozen ones. */
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
 * Starts a program. `setpriv` makes the system kill the program when this script is killed and cannot do so
 * itself. `child.ended` resolves to the exit status or the name of the signal. `as` is `{ uid, gid }` of
 * another user.
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

/**
 * Runs a program to its end. Returns its exit status (or signal), its standard output and standard error, and
 * its duration in milliseconds.
 */
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

/** Like `run`, for commands that must succeed. Returns standard output. */
export async function done(program, args, options) {
  const { status, out, err } = await run(program, args, options);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${status}\n${out}${err}`);
  return out;
}

/**
 * Waits until `holds` returns a truthy value, and returns it. After `limitMs` it fails with the message of
 * `late`.
 */
export async function until(what, holds, { limitMs = 120_000, everyMs = 100, late } = {}) {
  const begun = performance.now();
  for (;;) {
    const found = await holds();
    if (found) return found;
    if (performance.now() - begun > limitMs) {
      const more = late ? `\n${await late()}` : "";
      throw new Error(`this did not happen within ${Math.round(limitMs / 1000)} s: ${what}${more}`);
    }
    await sleep(everyMs);
  }
}
