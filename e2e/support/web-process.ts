// The process that draws a window's page: ends or stops it, like a crash or a hang.
import { readdirSync, readFileSync } from "node:fs";

/** Returns the ids of the web processes of the window with this folder. Linux only. */
export function webProcesses(folder: string): number[] {
  const read = (pid: string, file: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "utf8");
    } catch {
      // The process has ended, or belongs to another user.
      return "";
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(pid, "cmdline").includes("WebKitWebProcess"))
    .filter((pid) => read(pid, "environ").split("\0").includes(`HOME=${folder}`))
    .map(Number);
}
