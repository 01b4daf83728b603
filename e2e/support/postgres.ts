// A PostgreSQL server for one journey, in a temporary folder, with a shared store in it. It runs as the user
// `postgres` if the journey runs as root, because the server refuses root.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { builtProgram, freePort, remove } from "./window";

const INSTALLED = "/usr/lib/postgresql";

/**
 * Returns the folder of PostgreSQL's programs, as Debian and others install them; null if they are not
 * installed.
 */
export function postgresPrograms(): string | null {
  if (!existsSync(INSTALLED)) return null;
  const found = readdirSync(INSTALLED)
    .map((version) => path.join(INSTALLED, version, "bin"))
    .filter((bin) => existsSync(path.join(bin, "initdb")));
  return found.sort().at(-1) ?? null;
}

/** A shared store, with the worker that serves it. */
export interface SharedStore {
  /** The store's address, without a password: the server trusts local connections. */
  url: string;
  /** Runs the program `loopwright`. Returns its output. */
  loopwright: (...args: string[]) => string;
  startWorker: (name: string) => Worker;
  /** Ends the workers and the server. Further calls do nothing. */
  stop: () => Promise<void>;
}

export interface Worker {
  /** Freezes the worker's process, so that it does not act on commands for its runs. */
  freeze: () => void;
  thaw: () => void;
}

/** Starts a server with an empty store. `programs` is the folder that `postgresPrograms` returned. */
export async function startStore(programs: string): Promise<SharedStore> {
  const isRoot = process.getuid?.() === 0;
  const folder = mkdtempSync(path.join(tmpdir(), "loopwright-pg-"));
  const home = mkdtempSync(path.join(tmpdir(), "loopwright-worker-"));
  if (isRoot) execFileSync("chown", ["postgres", folder]);
  const run = (name: string, ...args: string[]) => {
    const program = path.join(programs, name);
    const [file, ...before] = isRoot ? ["runuser", "-u", "postgres", "--", program] : [program];
    // The server keeps inherited descriptors open: a pipe would never end.
    return execFileSync(file ?? program, [...before, ...args], { cwd: "/", stdio: "ignore" });
  };
  const data = path.join(folder, "data");
  const port = await freePort();
  run("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "-D", data);
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c fsync=off`;
  run("pg_ctl", "-w", "-D", data, "-l", path.join(folder, "log"), "-o", options, "start");
  run("createdb", "-h", "127.0.0.1", "-U", "postgres", "-p", String(port), "runs");

  const program = builtProgram("loopwright");
  const env = {
    PATH: process.env.PATH ?? "",
    LANG: process.env.LANG ?? "C.UTF-8",
    HOME: home,
    LOOPWRIGHT_DATA_DIR: path.join(home, "data"),
  };
  const url = `postgres://postgres@127.0.0.1:${port}/runs`;
  const loopwright = (...args: string[]) => execFileSync(program, args, { env, encoding: "utf8" });
  loopwright("store", "init", url);

  const workers: ChildProcess[] = [];
  let stopped = false;
  return {
    url,
    loopwright,
    startWorker: (name) => {
      const worker = spawn(program, ["worker", "--store", url, "--name", name, "--drain", "1s"], {
        env,
        stdio: ["ignore", "ignore", "inherit"],
      });
      workers.push(worker);
      return { freeze: () => worker.kill("SIGSTOP"), thaw: () => worker.kill("SIGCONT") };
    },
    stop: async () => {
      if (stopped) return;
      stopped = true;
      for (const worker of workers) {
        if (worker.exitCode !== null || worker.signalCode !== null) continue;
        const gone = once(worker, "exit");
        worker.kill("SIGKILL");
        await gone;
      }
      run("pg_ctl", "-m", "immediate", "-D", data, "stop");
      remove(folder);
      remove(home);
    },
  };
}
