// Running other programs: with their output shown, with it read along, or quietly for an answer.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";

export const root = path.resolve(import.meta.dirname, "../..");

const colour = process.stdout.isTTY && !process.env.NO_COLOR;

/** A heading for what comes next. */
export function say(text) {
  console.log(colour ? `\n\x1b[1;35m▸\x1b[0m \x1b[1m${text}\x1b[0m` : `\n▸ ${text}`);
}

/** Ends the program with words for a person, not a stack. */
export function stop(text, code = 1) {
  console.error(`\n${text}`);
  process.exit(code);
}

/** Runs to the end with its output shown; gives the exit status, 127 when it could not start. */
export function show(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: "inherit", ...options });
    child.on("error", (error) => {
      console.error(`${command} could not start: ${error.message}`);
      resolve(127);
    });
    child.on("close", (code, signal) => resolve(code ?? (signal ? 130 : 1)));
  });
}

/** Like `show`, for a command that runs beside others: each line of its output begins with `name`. */
export function showAs(name, command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], ...options });
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      createInterface({ input: from }).on("line", (line) => to.write(`${name} | ${line}\n`));
    }
    child.on("error", (error) => {
      console.error(`${command} could not start: ${error.message}`);
      resolve(127);
    });
    child.on("close", (code, signal) => resolve(code ?? (signal ? 130 : 1)));
  });
}

/**
 * Like `show`, and hands every line of standard output to `line` as well. When nothing is said for `silence` minutes, what
 * the command has started hangs and is ended, so that the command itself can tell of it and continue the rest.
 */
export function showAndRead(command, args, line, { silence, ...options }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"], ...options });
    const watch = setTimeout(() => {
      console.error(`\n${command}: nothing was said for ${silence} minutes; what it runs is ended.`);
      spawnSync("pkill", ["-KILL", "-P", String(child.pid)]);
      watch.refresh();
    }, silence * 60_000);
    let rest = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text) => {
      watch.refresh();
      process.stdout.write(text);
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const one of lines) line(one);
    });
    child.on("error", (error) => {
      console.error(`${command} could not start: ${error.message}`);
      clearTimeout(watch);
      resolve(127);
    });
    child.on("close", (code, signal) => {
      clearTimeout(watch);
      if (rest) line(rest);
      resolve(code ?? (signal ? 130 : 1));
    });
  });
}

/** Standard output of a short command, or null when it failed or is not there. */
export function answer(command, args) {
  const done = spawnSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return done.status === 0 ? done.stdout.trim() : null;
}

export function has(command) {
  const names = process.platform === "win32" ? [`${command}.exe`, `${command}.cmd`] : [command];
  return (process.env.PATH ?? "")
    .split(path.delimiter)
    .some((folder) => names.some((name) => existsSync(path.join(folder, name))));
}

/** Where cargo puts what it builds: a person may have chosen another folder for all their builds. Programs that are started later are told. */
export function buildFolder() {
  if (process.env.CARGO_TARGET_DIR === undefined) {
    const metadata = answer("cargo", cargo("metadata", "--no-deps", "--format-version", "1", "--offline"));
    // Before Rust is installed nothing is built anywhere.
    if (metadata === null) return path.join(root, "src-tauri/target");
    process.env.CARGO_TARGET_DIR = JSON.parse(metadata).target_directory;
  }
  return path.resolve(root, process.env.CARGO_TARGET_DIR);
}

/** A program that cargo built; `profile` is the folder's name. */
export function builtProgram(name, profile = "debug") {
  return path.join(buildFolder(), profile, process.platform === "win32" ? `${name}.exe` : name);
}

export function cargo(...args) {
  return [args[0], "--manifest-path", path.join(root, "src-tauri/Cargo.toml"), ...args.slice(1)];
}
