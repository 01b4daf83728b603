// Runs a program with a time limit, and collects its output.
import { spawn } from "node:child_process";

/**
 * Runs a program, which is killed after `within` seconds, or after `killedAfter` milliseconds. Resolves to its
 * exit `code` (null if it was killed), its output `out`, its errors `err`, and `json` if the output is JSON.
 */
export function run(program, args, { within, killedAfter, ...options }) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    const late = setTimeout(() => child.kill("SIGKILL"), killedAfter ?? within * 1000);
    const got = { out: "", err: "" };
    for (const [stream, to] of [
      [child.stdout, "out"],
      [child.stderr, "err"],
    ]) {
      stream.on("data", (part) => {
        got[to] += part;
      });
    }
    child.on("exit", (code) => {
      clearTimeout(late);
      // Processes that a killed program started may keep its output open.
      if (code === null) child.stdout.destroy();
      if (code === null) child.stderr.destroy();
    });
    child.on("close", (code) => resolve({ ...got, code, json: parsed(got.out) }));
  });
}

/** Returns the exit code and the end of the program's output, for messages. */
export const tail = ({ code, out, err }) => `exit ${code}: ${out.slice(-600)} ${err.slice(-600)}`;

function parsed(text) {
  for (const part of [text, text.trim().split("\n").at(-1) ?? ""]) {
    try {
      return JSON.parse(part);
    } catch {
      // The next form is tried.
    }
  }
}
