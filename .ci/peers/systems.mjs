// The systems that are compared: how each is installed, and the command that runs the loop in it.
import path from "node:path";
import { installed } from "../lib/others.mjs";
import { answer } from "../lib/process.mjs";
import { textWith } from "./loop.mjs";

/**
 * Versions are fixed, so that figures of different days are comparable. Node-RED 5 needs a later Node than
 * this project does.
 */
const INSTALLED = {
  langgraph: { python: ["langgraph==1.2.24", "langgraph-checkpoint-sqlite==3.1.2"] },
  pocketflow: { python: ["pocketflow==0.0.3"] },
  burr: { python: ["apache-burr==0.43.0"] },
  nodered: { npm: ["node-red@4.1.15"] },
};

/**
 * Returns whether a system continues its loop before a step is stored. If so, the times of the first and last
 * hundred iterations are known only from runs in which each step waits for the store.
 */
export const runsAhead = (system) => system.of === "langgraph";

/**
 * The peers. `saver` selects the store. `normal` is SQLite with this program's own settings, so that both
 * wait for the disk equally often.
 */
export const PEERS = [
  { name: "plain SQLite, the same rows", of: "sqlite" },
  { name: "LangGraph, MemorySaver", of: "langgraph", saver: "memory" },
  { name: "LangGraph, SqliteSaver", of: "langgraph", saver: "sqlite" },
  { name: "LangGraph, SqliteSaver, WAL and NORMAL", of: "langgraph", saver: "normal" },
  { name: "PocketFlow, in memory", of: "pocketflow", saver: "memory" },
  { name: "Burr, in memory", of: "burr", saver: "memory" },
  { name: "Burr, SQLitePersister", of: "burr", saver: "sqlite" },
  { name: "Burr, SQLitePersister, WAL and NORMAL", of: "burr", saver: "normal" },
  { name: "Node-RED, in memory", of: "nodered", saver: "memory" },
];

/** Returns the version of SQLite in the system's Python; null if it has none. */
const sqliteVersion = () => answer("python3", ["-c", "import sqlite3; print(sqlite3.sqlite_version)"]);

/** Returns the name of a peer, with its version. */
export const versionOf = (peer) =>
  peer.of === "sqlite" ? `SQLite ${sqliteVersion()}` : Object.values(INSTALLED[peer.of])[0].join(", ");

/**
 * Installs all systems. Returns for each system its `folder` or, in `why`, the reason why it could not be
 * installed.
 */
export function install() {
  const places = Object.entries(INSTALLED).map(([name, packages]) => [
    name,
    installed(path.join("peers", name), packages),
  ]);
  const sqlite = sqliteVersion() === null ? { why: "this Python has no module `sqlite3`" } : {};
  return { ...Object.fromEntries(places), sqlite };
}

/**
 * Returns the program and arguments of one run of a peer that is installed in `folder`. `data` is the folder
 * for its data. With `waits`, each step waits until it is stored, even if the system would normally store it
 * later. `source` is the store whose rows plain SQLite writes again.
 */
export function command(peer, folder, { rounds, data, waits = false, source }) {
  const here = (file) => path.join(import.meta.dirname, file);
  const store = path.join(data, "store.db");
  if (peer.of === "sqlite") {
    // The launcher needs the path of a program, and Python knows its own.
    const python = answer("python3", ["-c", "import sys; print(sys.executable)"]);
    return [python, here("sqlite_rows.py"), JSON.stringify({ source, store })];
  }
  if (peer.of === "nodered") {
    const work = { rounds, text: textWith((name) => `{{${name}}}`), store: data };
    return [process.execPath, here("nodered_loop.cjs"), JSON.stringify(work), folder];
  }
  const text = textWith((name) => `{${name}}`);
  const work = { rounds, text, saver: peer.saver, waits, store };
  return [path.join(folder, "bin/python"), here(`${peer.of}_loop.py`), JSON.stringify(work)];
}
