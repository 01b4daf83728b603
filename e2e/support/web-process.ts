// The process that draws the page of a window: to end it or stop it, as a crash and a hang do.
import { readdirSync, readFileSync } from "node:fs";

/** The numbers of the web processes of the window with this folder. Linux only. */
export function webProcesses(folder: string): number[] {
  const read = (pid: string, file: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "utf8");
    } catch {
      // It has ended, or belongs to somebody else.
      return "";
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(pid, "cmdline").includes("WebKitWebProcess"))
    .filter((pid) => read(pid, "environ").split("\0").includes(`HOME=${folder}`))
    .map(Number);
}
