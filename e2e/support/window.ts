// The built program's own window, driven through WebKitWebDriver, with separate folders for data and
// settings.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inject } from "vitest";
import { remote } from "webdriverio";
import { picturesFromDisplay } from "./screen";
import type { Browser } from "./types";

export const root = path.resolve(import.meta.dirname, "../..");

export type { Browser };

export interface Window {
  browser: Browser;
  /** Everything that the program may write to. It is removed with the window unless the caller passed it. */
  folder: string;
  /** Makes the next file dialog answer with this path; "" cancels the dialog. */
  answerDialog: (file: string) => void;
  /** Saves a picture of the page under `e2e/pictures`. */
  picture: (name: string) => Promise<string>;
  /** Saves a picture of the page in each theme. Afterwards, the dark theme is active. */
  pictures: (name: string) => Promise<void>;
  close: () => Promise<void>;
  /** Waits until the program has ended by itself, after its window closed. */
  ended: () => Promise<void>;
  /** Sends a signal to the program, as the system does at a log out. */
  signal: (signal: NodeJS.Signals) => void;
  /** Kills the program without notice, like a crash. Its folder remains. */
  kill: () => Promise<void>;
}

/** The open windows. */
export const openWindows = new Set<Window>();

export function builtProgram(name: string): string {
  const target = process.env.CARGO_TARGET_DIR ?? path.join(root, "src-tauri/target");
  return path.join(path.resolve(root, target), "debug", name);
}

export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("the system gave no port");
  return address.port;
}

/**
 * Removes a window's folder. Processes of its web view write to it for a moment after the window has closed,
 * and the system's document portal keeps a folder in its cache for longer. Files that cannot be removed stay
 * in the temporary folder.
 */
export function remove(folder: string): void {
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (!["EBUSY", "ENOTEMPTY"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
}

/** Returns the files that the windows of this folder had open when they last recorded them. */
export function openFiles(folder: string): string[] {
  const sessions = path.join(folder, "data/sessions");
  return readdirSync(sessions, { recursive: true, encoding: "utf8" })
    .filter((name) => path.basename(name) === "tabs.json")
    .flatMap((name) => JSON.parse(readFileSync(path.join(sessions, name), "utf8")).files as string[]);
}

/**
 * Opens the window. A previously used `folder` restores the state of that window. `log` is a file for the
 * standard error of the program and its web view.
 */
export async function openWindow(options: {
  display: string;
  /** The file with the pixels of `display`, if it is not the display of the whole test run. */
  screen?: string;
  folder?: string;
  env?: Record<string, string>;
  log?: string;
  /** The program's arguments, such as a file. */
  args?: string[];
}): Promise<Window> {
  const program = builtProgram("loopwright-desktop");
  if (!existsSync(program)) throw new Error(`${program} is not built; \`npm test\` builds it`);
  const folder = options.folder ?? mkdtempSync(path.join(tmpdir(), "loopwright-e2e-"));
  const dialogs = path.join(folder, "dialog-answers");
  writeFileSync(dialogs, "");
  const port = await freePort();
  const stderr = options.log === undefined ? "inherit" : openSync(options.log, "a");
  const driver = spawn("WebKitWebDriver", [`--port=${port}`, "--host=127.0.0.1"], {
    stdio: ["ignore", "inherit", stderr],
    // Nothing of the user's own environment is used: no display, no settings, no keys of model providers.
    env: {
      PATH: process.env.PATH ?? "",
      LANG: process.env.LANG ?? "C.UTF-8",
      HOME: folder,
      XDG_DATA_HOME: path.join(folder, "share"),
      XDG_CONFIG_HOME: path.join(folder, "config"),
      XDG_CACHE_HOME: path.join(folder, "cache"),
      DISPLAY: options.display,
      GDK_BACKEND: "x11",
      NO_AT_BRIDGE: "1",
      MESA_SHADER_CACHE_DISABLE: "true",
      TAURI_WEBVIEW_AUTOMATION: "true",
      // The same drawing mode as for a user on this machine.
      LOOPWRIGHT_DRAWING: "auto",
      LOOPWRIGHT_DATA_DIR: path.join(folder, "data"),
      LOOPWRIGHT_DIALOG_ANSWERS: dialogs,
      ...options.env,
    },
  });
  if (typeof stderr === "number") closeSync(stderr);
  const browser = await connect(driver, port, program, options.args ?? []);
  picturesFromDisplay(browser, options.screen ?? inject("screen"));
  const window: Window = {
    browser,
    folder,
    answerDialog: (file) => appendFileSync(dialogs, `${file}\n`),
    picture: async (name) => {
      const file = path.join(root, "e2e/pictures", `${name}.png`);
      mkdirSync(path.dirname(file), { recursive: true });
      await browser.saveScreenshot(file);
      return file;
    },
    pictures: async (name) => {
      for (const theme of ["light", "dark"]) {
        await browser.execute((wanted) => {
          document.documentElement.dataset.theme = wanted;
        }, theme);
        await window.picture(`${name}-${theme}`);
      }
    },
    close: async () => {
      openWindows.delete(window);
      // A window that hangs must not block the test run.
      await Promise.race([browser.deleteSession().catch(() => undefined), sleep(8_000)]);
      endChildren(driver);
      // A window may be closed twice: by its test, and after it.
      if (driver.exitCode === null && driver.signalCode === null) {
        const gone = once(driver, "exit");
        driver.kill();
        await gone;
      }
      if (!options.folder) remove(folder);
    },
    ended: () => haveGone(childrenOf(driver), "the program does not end"),
    signal: (signal) => {
      for (const child of childrenOf(driver)) process.kill(child, signal);
    },
    kill: async () => {
      openWindows.delete(window);
      const children = endChildren(driver);
      const gone = once(driver, "exit");
      driver.kill("SIGKILL");
      await gone;
      // A killed program holds its locks until the system has removed it.
      await haveGone(children);
    },
  };
  openWindows.add(window);
  return window;
}

/** Returns the ids of the driver's child processes. Each is a process of the program with its window. */
function childrenOf(driver: ChildProcess): number[] {
  const list = `/proc/${driver.pid}/task/${driver.pid}/children`;
  if (driver.pid === undefined || !existsSync(list)) return [];
  return readFileSync(list, "utf8").split(" ").filter(Boolean).map(Number);
}

/** Kills the remaining processes of the driver. Returns their ids. */
function endChildren(driver: ChildProcess): number[] {
  const children = childrenOf(driver);
  for (const child of children) {
    try {
      process.kill(child, "SIGKILL");
    } catch {
      // The process has ended in between.
    }
  }
  return children;
}

/** Waits until none of these processes exists. */
async function haveGone(processes: number[], otherwise = "a killed window does not go away"): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (processes.some((pid) => existsSync(`/proc/${pid}`))) {
    if (Date.now() > deadline) throw new Error(otherwise);
    await sleep(20);
  }
}

async function connect(
  driver: ChildProcess,
  port: number,
  program: string,
  args: string[],
): Promise<Browser> {
  const deadline = Date.now() + 10_000;
  while (!(await answers(port))) {
    if (driver.exitCode !== null)
      throw new Error("WebKitWebDriver ended at once; is webkit2gtk-driver installed?");
    if (Date.now() > deadline) throw new Error("WebKitWebDriver does not answer");
    await sleep(50);
  }
  return remote({
    hostname: "127.0.0.1",
    port,
    logLevel: "error",
    capabilities: {
      "wdio:enforceWebDriverClassic": true,
      "webkitgtk:browserOptions": { binary: program, args },
    } as WebdriverIO.Capabilities,
  });
}

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/status`).then(
    (reply) => reply.ok,
    () => false,
  );
}
