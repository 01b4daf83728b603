// A store, a model server, and workers that are started, killed and replaced.
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { stop } from "../lib/process.mjs";
import { run, start, until } from "./children.mjs";
import { ModelServer } from "./models.mjs";
import { Postgres, programs } from "./postgres.mjs";

const PRICES = { prices: [{ provider: "openai", model: "test", input: 10, output: 100 }] };

/** The silence after which a worker's runs are taken over. */
export const TAKEOVER_MS = 2_000;

/**
 * Creates a folder that is removed when the script ends. If a check fails, the folder is kept for inspection.
 */
export function temporaryFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), "loopwright-torture-"));
  const kept = { folder, keep: false };
  process.on("exit", () => {
    if (!kept.keep) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return kept;
}

export class World {
  workers = [];
  #commands = 0;

  /**
   * Creates a world with an empty store, a model server and no workers. `url` is the address of the store for
   * workers and people, if it differs from the server's own address.
   */
  static async create(program, { pauseMs = [10, 80], length, settings, url } = {}) {
    if (!programs()) stop("NOT TESTED: this machine has no PostgreSQL server.", 0);
    const world = new World();
    world.program = program;
    world.kept = temporaryFolder();
    world.folder = world.kept.folder;
    // The server's own user needs access.
    await run("chmod", ["755", world.folder]);
    world.models = await ModelServer.start({ pauseMs, length });
    world.postgres = await Postgres.create(path.join(world.folder, "postgres"), { settings });
    await world.postgres.database();
    world.url = url ?? world.postgres.url();
    await world.must(["store", "init", world.postgres.url()]);
    return world;
  }

  /** Kills the workers, PostgreSQL and the model server. With `keep`, the folder remains. */
  async end({ keep = false } = {}) {
    this.kept.keep = keep;
    for (const worker of this.living()) worker.child.kill("SIGKILL");
    await Promise.all(this.workers.map((worker) => worker.child.ended));
    await this.postgres.kill();
    this.models.stop();
    if (keep) console.error(`The store and the logs of the workers are kept in ${this.folder}.`);
  }

  #data(name) {
    const data = path.join(this.folder, "data", name);
    mkdirSync(data, { recursive: true });
    writeFileSync(path.join(data, "prices.json"), JSON.stringify(PRICES));
    return data;
  }

  #env(name) {
    return {
      PATH: process.env.PATH,
      HOME: this.#data(name),
      LOOPWRIGHT_KEYCHAIN: "off",
      OPENAI_BASE_URL: this.models.url,
      // The key identifies the worker in the server's list of calls.
      OPENAI_API_KEY: name,
      RUST_BACKTRACE: "1",
    };
  }

  startWorker(name, { url = this.url, places = 8, more = [] } = {}) {
    const log = path.join(this.folder, `${name}.log`);
    const to = openSync(log, "a");
    const args = [
      ...["worker", "--store", url, "--name", name, "--places", String(places)],
      ...["--takeover-after", `${TAKEOVER_MS}ms`, "--drain", "1s", "--data-dir", this.#data(name), ...more],
    ];
    const options = { stdio: ["ignore", to, to], env: this.#env(name), cwd: this.folder };
    const child = start(this.program, args, options);
    const worker = { name, child, log, startedAt: Date.now(), frozen: [], status: undefined };
    child.ended.then((status) => {
      worker.status = status;
    });
    this.workers.push(worker);
    return worker;
  }

  living() {
    return this.workers.filter((worker) => worker.status === undefined && !worker.leaving);
  }

  async kill(worker) {
    worker.leaving = "SIGKILL";
    worker.child.kill("SIGKILL");
    await worker.child.ended;
  }

  freeze(worker) {
    worker.frozen.push({ from: Date.now(), to: undefined });
    worker.child.kill("SIGSTOP");
  }

  wake(worker) {
    worker.child.kill("SIGCONT");
    worker.frozen.at(-1).to = Date.now();
  }

  /** Runs a command as a user would. Returns what `run` returns. */
  person(args, { url = this.url, ...options } = {}) {
    // Commands run in parallel, so each has its own folder.
    this.#commands += 1;
    const name = `person-${this.#commands % 16}`;
    const [command, ...rest] = args;
    const store = command === "store" ? [] : ["--store", url];
    const all = [command, ...store, ...rest, "--json", "--data-dir", this.#data(name)];
    return run(this.program, all, { env: this.#env(name), cwd: this.folder, ...options });
  }

  /** Like `person`, for commands that must succeed. Returns the output, parsed if it is JSON. */
  async must(args, options) {
    const { status, out, err } = await this.person(args, options);
    if (status !== 0) throw new Error(`loopwright ${args.join(" ")}: ${status}\n${out}${err}`);
    return out.trim() ? JSON.parse(out) : undefined;
  }

  /** Repeats a command until it succeeds, because the store may be unavailable. */
  async again(args, { limitMs = 60_000, ...options } = {}) {
    let last;
    const found = await until(
      `loopwright ${args.join(" ")}`,
      async () => {
        last = await this.person(args, options);
        return last.status === 0 && last;
      },
      { limitMs, everyMs: 300, late: () => `${last?.out}${last?.err}` },
    );
    return found.out.trim() ? JSON.parse(found.out) : undefined;
  }

  /** Writes a flow and its inputs. Returns the batch; its `args` are the arguments that submit it. */
  prepare({ name, kind, size, runs, more = [] }) {
    const flow = path.join(this.folder, `${name}.flow.json`);
    const inputs = path.join(this.folder, `${name}.jsonl`);
    writeFileSync(flow, JSON.stringify(kind.flow(size)));
    const topics = Array.from({ length: runs }, (_, line) => `${name}.${String(line + 1).padStart(3, "0")}`);
    writeFileSync(inputs, topics.map((topic) => `${JSON.stringify({ topic })}\n`).join(""));
    return { name, kind, size, topics, args: ["submit", flow, "--inputs", inputs, "--batch", name, ...more] };
  }

  batch(name) {
    return this.again(["batches", "show", name]);
  }

  /** Waits until no run of these batches is queued, in progress or suspended. */
  async untilOver(names, limitMs = 180_000) {
    const wanted = new Set(names);
    let all = [];
    const open = (batch) => batch.queued + batch.running + batch.suspended > 0;
    await until(
      "all runs are over",
      async () => {
        all = (await this.again(["batches", "list"])).filter((batch) => wanted.has(batch.name));
        return all.length === wanted.size && !all.some(open);
      },
      { limitMs, everyMs: 300, late: () => `${JSON.stringify(all.filter(open), null, 1)}\n${this.logs()}` },
    );
  }

  /** Returns the last lines of each worker's log. */
  logs(lines = 8) {
    return this.workers
      .map((worker) => `${worker.name} (${worker.status ?? "runs"})\n${tail(worker.log, lines)}`)
      .join("\n");
  }
}

function tail(file, lines) {
  return readFileSync(file, "utf8").trimEnd().split("\n").slice(-lines).join("\n");
}
