// The systems that are compared: how each is installed, and how it is started for a run of the loop.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { answer, buildFolder, say } from "../lib/process.mjs";
import { textWith } from "./loop.mjs";

/** Versions are fixed, so that figures of two days can be compared. Node-RED 5 needs a later Node than this project does. */
const INSTALLED = {
  langgraph: { python: ["langgraph==1.2.24", "langgraph-checkpoint-sqlite==3.1.2"] },
  pocketflow: { python: ["pocketflow==0.0.3"] },
  burr: { python: ["apache-burr==0.43.0"] },
  nodered: { npm: ["node-red@4.1.15"] },
};

/** Systems whose loop runs ahead of its store: how long a hundred iterations take is known only where each step waits for it. */
export const runsAhead = (system) => system.of === "langgraph";

/** `saver` chooses the store. `normal` is SQLite with this program's own settings, so that both wait for the disk as seldom. */
export const PEERS = [
  { name: "LangGraph, MemorySaver", of: "langgraph", saver: "memory" },
  { name: "LangGraph, SqliteSaver", of: "langgraph", saver: "sqlite" },
  { name: "LangGraph, SqliteSaver, WAL and NORMAL", of: "langgraph", saver: "normal" },
  { name: "PocketFlow, in memory", of: "pocketflow", saver: "memory" },
  { name: "Burr, in memory", of: "burr", saver: "memory" },
  { name: "Burr, SQLitePersister", of: "burr", saver: "sqlite" },
  { name: "Burr, SQLitePersister, WAL and NORMAL", of: "burr", saver: "normal" },
  { name: "Node-RED, in memory", of: "nodered", saver: "memory" },
];

/** What a peer is, with its version. */
export const versionOf = (peer) => Object.values(INSTALLED[peer.of])[0].join(", ");

/**
 * Installs what is not there yet, each system in a folder of its own beside the build. Gives for each of them its `folder`, or in
 * `why` the reason why there is none.
 */
export function install() {
  const places = {};
  for (const [name, packages] of Object.entries(INSTALLED)) {
    const folder = path.join(buildFolder(), "peers", name);
    const [stamp, wanted] = [path.join(folder, "installed"), JSON.stringify({ packages, folder })];
    places[name] = { folder };
    if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) continue;
    say(`Installing ${Object.values(packages)[0].join(", ")} into ${folder}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const failed = packages.python
      ? installPython(folder, packages.python)
      : installNode(folder, packages.npm);
    if (failed) places[name] = { why: `not installed: ${failed}` };
    else writeFileSync(stamp, wanted);
  }
  return places;
}

function installPython(folder, packages) {
  if (answer("python3", ["-m", "venv", folder]) === null) return "python3 could not make an environment";
  const done = answer(path.join(folder, "bin/pip"), ["install", "--quiet", ...packages]);
  return done === null ? `pip could not install ${packages.join(", ")}` : undefined;
}

function installNode(folder, packages) {
  const args = ["install", "--prefix", folder, "--no-fund", "--no-audit", "--ignore-scripts", ...packages];
  return answer("npm", args) === null ? `npm could not install ${packages.join(", ")}` : undefined;
}

/**
 * The program and arguments of one run of a peer that is installed in `folder`. What it keeps goes into `data`; with `waits` each
 * step waits until it is stored, where the system would store it later.
 */
export function command(peer, folder, { rounds, data, waits = false }) {
  const here = (file) => path.join(import.meta.dirname, file);
  if (peer.of === "nodered") {
    const work = { rounds, text: textWith((name) => `{{${name}}}`), store: data };
    return [process.execPath, here("nodered_loop.cjs"), JSON.stringify(work), folder];
  }
  const text = textWith((name) => `{${name}}`);
  const work = { rounds, text, saver: peer.saver, waits, store: path.join(data, "store.db") };
  return [path.join(folder, "bin/python"), here(`${peer.of}_loop.py`), JSON.stringify(work)];
}
