// The command line on the data of a window.
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import path from "node:path";
import { builtProgram } from "./window";

export interface ListedRun {
  runId: string;
  flow: string;
  status: string;
}

export interface CommandLine {
  /** The variables of the program. Nothing of the user's own environment is used. */
  readonly env: Readonly<Record<string, string>>;
  run: (...args: string[]) => SpawnSyncReturns<string>;
  /** Runs a command with `--json`, and parses its output. Throws if the output is not JSON. */
  json: <T>(...args: string[]) => T;
  /** Returns all runs, newest first. */
  runs: () => ListedRun[];
}

/** Returns the command line for the folder of a window. */
export function commandLine(folder: string, more: Record<string, string> = {}): CommandLine {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    XDG_CONFIG_HOME: path.join(folder, "config"),
    LOOPWRIGHT_DATA_DIR: path.join(folder, "data"),
    ...more,
  };
  const run = (...args: string[]) =>
    spawnSync(builtProgram("loopwright"), args, { env, cwd: folder, encoding: "utf8" });
  const json = <T>(...args: string[]): T => {
    const { stdout, stderr } = run(...args, "--json");
    try {
      return JSON.parse(stdout) as T;
    } catch {
      throw new Error(`loopwright ${args.join(" ")}: ${stdout}${stderr}`);
    }
  };
  return { env, run, json, runs: () => json<ListedRun[]>("runs", "list") };
}
