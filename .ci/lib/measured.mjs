// Helpers for measuring the command line: building flows, and running programs with their time and memory.
import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";

export const node = (id, type, data = {}) => ({ id, type, position: { x: 0, y: 0 }, data });

export const wire = (source, sourceHandle, target, targetHandle) => ({
  id: `${source}-${target}-${targetHandle}`,
  source,
  sourceHandle,
  target,
  targetHandle,
});

export const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/**
 * Runs a program to its end. Returns its duration in milliseconds, the peak memory in MB (0 without /proc),
 * the exit code, and whether it was killed after `limitMs`.
 */
export async function measured(program, args, { env = process.env, limitMs = 600_000, onOutput }) {
  const begun = performance.now();
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"], env });
  child.stdout.on("data", onOutput);
  let memory = 0;
  const watch = setInterval(() => {
    try {
      const found = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"));
      memory = Math.max(memory, Number(found?.[1] ?? 0) / 1024);
    } catch {
      // The process has ended, or this system has no /proc.
    }
  }, 5);
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, limitMs);
  const code = await new Promise((resolve) => child.on("close", resolve));
  clearInterval(watch);
  clearTimeout(limit);
  return { ms: performance.now() - begun, memory, code, late };
}

/** Returns the size of a run store, in bytes. */
export function storeBytes(folder) {
  return ["runs.db", "runs.db-wal"]
    .map((name) => statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0);
}
