// The processor time and memory that a window's processes have used so far. Both are more reliable than a
// clock if other programs use the machine at the same time.
import { readdirSync, readFileSync } from "node:fs";

/** The program itself, and the process of the web view that draws its page. */
export type Part = "program" | "web";

const NAMES: Record<Part, string> = { program: "loopwright", web: "WebKitWebProc" };

/** The unit of Linux's processor times, in milliseconds. */
const TICK = 10;

/** Returns the ids of the processes of this part whose environment names the folder. */
function processes(folder: string, part: Part): string[] {
  return readdirSync("/proc").filter((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      if (!readFileSync(`/proc/${id}/comm`, "utf8").startsWith(NAMES[part])) return false;
      return readFileSync(`/proc/${id}/environ`, "utf8").includes(folder);
    } catch {
      // The process has ended in between.
      return false;
    }
  });
}

/**
 * Returns a field of `/proc/<id>/stat`. `place` is the number of the field in the manual page `proc(5)`, and
 * is 3 or more.
 */
function counted(id: string, place: number): number {
  // The fields after the name, which may contain anything.
  const fields = (readFileSync(`/proc/${id}/stat`, "utf8").split(") ").at(-1) ?? "").split(" ");
  return Number(fields[place - 3]);
}

/** Returns the processor time, user and system, of a part's processes since they started, in milliseconds. */
export function worked(folder: string, part: Part): number {
  return processes(folder, part).reduce((sum, id) => sum + (counted(id, 14) + counted(id, 15)) * TICK, 0);
}

/**
 * Returns the resident memory of a part in megabytes. `own` excludes file pages, such as those of libraries.
 */
export function resident(folder: string, part: Part): { all: number; own: number } {
  const sum = { all: 0, own: 0 };
  for (const id of processes(folder, part)) {
    const status = readFileSync(`/proc/${id}/status`, "utf8");
    const megabytes = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) / 1024;
    sum.all += megabytes("VmRSS");
    sum.own += megabytes("RssAnon");
  }
  return sum;
}

/**
 * Returns the proportional memory of a part in megabytes, in which a page that several programs share is
 * divided among them.
 */
export function proportional(folder: string, part: Part): number {
  return processes(folder, part).reduce((sum, id) => {
    const rollup = readFileSync(`/proc/${id}/smaps_rollup`, "utf8");
    return sum + Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
  }, 0);
}

/** Returns the start time of the program of this folder, in milliseconds since 1970. */
export function begunAt(folder: string): number {
  const [id] = processes(folder, "program");
  if (id === undefined) throw new Error(`no program works in ${folder}`);
  const sinceStart = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]) * 1000;
  // The field counts from the start of the system.
  return Date.now() - sinceStart + counted(id, 22) * TICK;
}
