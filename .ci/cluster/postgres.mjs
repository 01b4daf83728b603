// A PostgreSQL server in a temporary folder. It can be killed, started again, copied to a standby and
// promoted.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
} from "node:fs";
import net from "node:net";
import path from "node:path";
import { done, run, sleep, start, until } from "./children.mjs";

const VERSIONS = "/usr/lib/postgresql";

/**
 * Returns the folder of PostgreSQL's programs, as Debian and others install them; undefined if they are not
 * installed.
 */
export function programs() {
  if (!existsSync(VERSIONS)) return undefined;
  return readdirSync(VERSIONS)
    .sort((a, b) => Number(a) - Number(b))
    .map((version) => path.join(VERSIONS, version, "bin"))
    .findLast((bin) => existsSync(path.join(bin, "initdb")));
}

/**
 * Returns `{ uid, gid }` of the user `postgres` if this process is root, because the server refuses to run as
 * root; otherwise undefined.
 */
function serverUser() {
  if (process.getuid() !== 0) return undefined;
  const id = (what) => Number(execFileSync("id", [what, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

export function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Returns the child processes of a process. */
function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
      .trim()
      .split(" ")
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}

export class Postgres {
  #child;
  #as = serverUser();

  constructor(folder, port) {
    Object.assign(this, { folder, port, data: path.join(folder, "data"), bin: programs() });
    mkdirSync(folder, { recursive: true });
    if (this.#as) chownSync(folder, this.#as.uid, this.#as.gid);
  }

  /** Creates an empty server on `port` or, by default, on a free port. */
  static async create(folder, { port, settings = [] } = {}) {
    const server = new Postgres(folder, port ?? (await freePort()));
    await server.#program("initdb", [
      "-A",
      "trust",
      "-U",
      "postgres",
      "-E",
      "UTF8",
      "--locale=C",
      "-D",
      server.data,
    ]);
    server.configure([
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = '${folder}'`,
      "max_connections = 200",
      // The tests kill processes, never the machine, so nothing is lost without fsync. With fsync, a
      // restarted server would first sync all files to disk.
      "fsync = off",
      ...settings,
    ]);
    await server.up();
    return server;
  }

  /** Creates a standby of a running server. It follows that server, and can be promoted. */
  static async standbyOf(primary, folder, port) {
    const server = new Postgres(folder, port);
    const from = `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby${port}`;
    await server.#program("pg_basebackup", [
      "-D",
      server.data,
      "-R",
      "-X",
      "stream",
      "-c",
      "fast",
      "-d",
      from,
    ]);
    // The copied configuration contains the primary's settings; the last occurrence of a setting counts.
    server.configure([`unix_socket_directories = '${folder}'`, "synchronous_standby_names = ''"]);
    await server.up();
    return server;
  }

  configure(lines) {
    appendFileSync(path.join(this.data, "postgresql.conf"), `\n${lines.join("\n")}\n`);
  }

  #program(name, args) {
    return done(path.join(this.bin, name), args, { as: this.#as });
  }

  url(database = "store") {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  async database(name = "store") {
    await this.#program("createdb", ["-h", "127.0.0.1", "-U", "postgres", "-p", String(this.port), name]);
    return this.url(name);
  }

  async ready() {
    const args = ["-q", "-h", "127.0.0.1", "-U", "postgres", "-p", String(this.port)];
    return (await run(path.join(this.bin, "pg_isready"), args)).status === 0;
  }

  /** Starts the server and waits until it answers. */
  async up() {
    const log = openSync(path.join(this.folder, "log"), "a");
    const args = ["-D", this.data, "-p", String(this.port)];
    const child = start(path.join(this.bin, "postgres"), args, {
      as: this.#as,
      stdio: ["ignore", log, log],
      cwd: "/",
    });
    this.#child = child;
    let ended;
    child.ended.then((status) => {
      ended = status;
    });
    await until(
      "PostgreSQL answers",
      () => {
        if (ended !== undefined) throw new Error(`PostgreSQL ended (${ended})\n${this.log()}`);
        return this.ready();
      },
      { everyMs: 50, late: () => this.log() },
    );
  }

  log() {
    return readFileSync(path.join(this.folder, "log"), "utf8").split("\n").slice(-30).join("\n");
  }

  /** Kills the server with all its processes at once, like a power failure. */
  async kill() {
    const child = this.#child;
    if (!child) return;
    this.#child = undefined;
    // A stopped server can neither restart its killed children nor send anything more.
    signal(child.pid, "SIGSTOP");
    const parts = childrenOf(child.pid);
    for (const pid of parts) signal(pid, "SIGKILL");
    signal(child.pid, "SIGKILL");
    await child.ended;
    while (parts.some((pid) => existsSync(`/proc/${pid}`))) await sleep(5);
  }

  /** Makes a standby the primary. */
  async promote() {
    await this.#program("pg_ctl", ["promote", "-w", "-D", this.data]);
  }

  /** Changes a setting of a running server. */
  async set(name, value) {
    await this.sql(`ALTER SYSTEM SET ${name} = '${value}'`);
    await this.sql("SELECT pg_reload_conf()");
  }

  /** Runs SQL. Returns its output, a line for each row. */
  async sql(text, database = "store") {
    const args = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", this.url(database), "-f", "-"];
    return await done(path.join(this.bin, "psql"), args, { input: text });
  }

  /** Returns the rows of a query, as objects. */
  async rows(query, database) {
    const out = await this.sql(`SELECT row_to_json(t) FROM (${query}) t`, database);
    return out
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }
}
