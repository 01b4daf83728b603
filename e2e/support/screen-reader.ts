// The window as a screen reader receives it: a separate session bus, and the tree of objects that AT-SPI
// publishes there.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { remove } from "./window";

/** The system's own Python: the library is one of the system's packages. */
const PYTHON = "/usr/bin/python3";
const SCRIPT = path.join(import.meta.dirname, "accessible_tree.py");

/** An object that assistive technology receives. */
export interface Spoken {
  depth: number;
  role: string;
  name: string;
  about: string;
  text: string;
  states: string[];
}

export interface Bus {
  /** The environment variables for a window on this bus. */
  env: Record<string, string>;
  /** Returns the objects of the window in reading order. */
  read: () => Spoken[];
  stop: () => Promise<void>;
}

/** Returns the packages that this machine lacks for the screen-reader tests; null if it has all of them. */
export function whatIsMissing(): string | null {
  if (!existsSync("/usr/bin/dbus-daemon")) return "dbus-daemon";
  if (!existsSync("/usr/libexec/at-spi-bus-launcher")) return "at-spi2-core";
  try {
    execFileSync(PYTHON, ["-c", "import gi; gi.require_version('Atspi', '2.0')"], { stdio: "ignore" });
    return null;
  } catch {
    return "python3-gi and gir1.2-atspi-2.0";
  }
}

/** Starts a session bus. It starts the services of assistive technology, which end with it. */
export async function startBus(display: string): Promise<Bus> {
  const home = mkdtempSync(path.join(tmpdir(), "loopwright-bus-"));
  // Nothing from the user's own session is used.
  const env = { PATH: process.env.PATH ?? "", HOME: home, XDG_RUNTIME_DIR: home, DISPLAY: display };
  const daemon = spawn("/usr/bin/dbus-daemon", ["--session", "--nofork", "--print-address=1"], {
    stdio: ["ignore", "pipe", "ignore"],
    env,
  });
  const [printed] = (await once(daemon.stdout, "data")) as [Buffer];
  const onBus = { DBUS_SESSION_BUS_ADDRESS: printed.toString().trim() };
  const read = () =>
    execFileSync(PYTHON, [SCRIPT, "loopwright"], {
      env: { ...env, ...onBus },
      encoding: "utf8",
      maxBuffer: 1 << 26,
      timeout: 60_000,
    })
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Spoken);
  return { env: { ...onBus, NO_AT_BRIDGE: "0" }, read, stop: () => stop(daemon, home) };
}

async function stop(daemon: ChildProcess, home: string): Promise<void> {
  const gone = once(daemon, "exit");
  daemon.kill();
  await gone;
  remove(home);
}

/** Returns whether an object announces this text: in its name, or in its own text if it has no name. */
export const announces = ({ name, text }: Spoken, words: string): boolean =>
  (name === "" ? text : name).includes(words);

/**
 * Returns the object that announces each of these texts, in order. Throws if a text is not announced after
 * the previous one.
 */
export function inOrder(objects: readonly Spoken[], ...words: string[]): Spoken[] {
  let at = -1;
  return words.map((wanted) => {
    const next = objects.findIndex((one, i) => i > at && announces(one, wanted));
    if (next < 0)
      throw new Error(`nothing says “${wanted}” behind “${objects[at]?.name ?? "the beginning"}”`);
    at = next;
    return objects[next] as Spoken;
  });
}

/** Returns everything within an object. */
export function within(objects: readonly Spoken[], found: Spoken): Spoken[] {
  const from = objects.indexOf(found);
  const end = objects.findIndex((one, i) => i > from && one.depth <= found.depth);
  return objects.slice(from + 1, end < 0 ? undefined : end);
}

/**
 * The roles of elements that a user can act on. Without a name, the purpose of such an element is unknown.
 */
const ACTED_ON = new Set([
  "push button",
  "toggle button",
  "check box",
  "radio button",
  "combo box",
  "entry",
  "spin button",
  "slider",
  "link",
  "menu item",
  "page tab",
  "dialog",
]);

export const nameless = (objects: readonly Spoken[]): Spoken[] =>
  objects.filter(({ role, name }) => ACTED_ON.has(role) && name.trim() === "");
