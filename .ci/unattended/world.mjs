// A folder of the program's data, the program in it, and the checks of a round.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { run } from "../lib/ran.mjs";
import { PRICE } from "./server.mjs";

/** The time limit of one command, in seconds. */
const WITHIN = 240;

export class World {
  #program;
  #env;

  /**
   * `servers` contains the model servers, keyed by the prefix of the environment variables for their address and key.
   */
  constructor(program, servers) {
    this.#program = program;
    this.folder = path.join(tmpdir(), `loopwright-unattended-${process.pid}-${Date.now()}`);
    mkdirSync(path.join(this.folder, "data"), { recursive: true });
    const prices = ["openai", "compatible"].map((provider) => ({ provider, model: "*", ...PRICE }));
    writeFileSync(path.join(this.folder, "data/prices.json"), JSON.stringify({ prices }));
    this.#env = {
      PATH: process.env.PATH,
      HOME: this.folder,
      TZ: noon(),
      LOOPWRIGHT_DATA_DIR: path.join(this.folder, "data"),
      LOOPWRIGHT_KEYCHAIN: "off",
    };
    for (const [name, server] of Object.entries(servers)) {
      this.#env[`${name}_BASE_URL`] = server.url;
      this.#env[`${name}_API_KEY`] = "none";
    }
  }

  /** Writes a flow. Returns its path. */
  flow(name, flow) {
    const file = path.join(this.folder, `${name}.flow.json`);
    writeFileSync(file, JSON.stringify({ schemaVersion: 1, name, ...flow }));
    return file;
  }

  /** Starts a command. Returns its process as `child`, and the promise `done` of its exit code and output. */
  start(...args) {
    let child;
    const done = run(this.#program, [...args, "--json"], {
      env: this.#env,
      cwd: this.folder,
      within: WITHIN,
      started: (process) => {
        child = process;
      },
    });
    return { child, done };
  }

  /** Runs a command to its end. Returns its exit code and output. */
  ask(...args) {
    return this.start(...args).done;
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Returns a time zone in which it is about noon, so that no day ends during a round. */
function noon() {
  const hours = 12 - new Date().getUTCHours();
  // In these names, the sign is the opposite of the usual one.
  return `Etc/GMT${hours > 0 ? "-" : "+"}${Math.abs(hours)}`;
}

/** Collects the failed checks of a round. */
export class Checks {
  wrong = [];

  holds(what, holds, detail = "") {
    if (!holds) this.wrong.push(`${what} ${detail}`.trim());
  }
}

/** Waits until this time, in milliseconds since 1970. */
export const until = (at) => pause(Math.max(0, at - Date.now()));

/** Waits until `holds` returns true, for at most `seconds`. Returns false if the time ran out. */
export async function becomes(holds, seconds) {
  const ends = Date.now() + seconds * 1000;
  while (!holds()) {
    if (Date.now() > ends) return false;
    await pause(10);
  }
  return true;
}

/**
 * Runs the rounds of a torture one after another. `attempt` receives the seed of the round and its number, and
 * returns the failed checks and a line about the round. Returns true if all checks hold.
 */
export async function inRounds({ rounds, seed }, attempt) {
  const failed = [];
  for (let at = 0; at < rounds; at++) {
    const began = Date.now();
    const { wrong, said } = await attempt(seed + at, at);
    const seconds = ((Date.now() - began) / 1000).toFixed(0);
    console.log(`${at + 1} of ${rounds} (seed ${seed + at}, ${seconds} s): ${said}`);
    for (const why of wrong) console.log(`DOES NOT HOLD (seed ${seed + at}): ${why}`);
    if (wrong.length > 0) failed.push(seed + at);
  }
  if (failed.length > 0) console.log(`\nFailed seeds: ${failed.join(", ")}`);
  console.log(`\n${rounds - failed.length} passed, ${failed.length} failed`);
  return failed.length === 0;
}
