// Runs other programs: with visible output, with output that is also parsed, or silently for their result.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";

export const root = path.resolve(import.meta.dirname, "../..");

const colour = process.stdout.isTTY && !process.env.NO_COLOR;

/** Prints a heading for the following output. */
export function say(text) {
  console.log(colour ? `\n\x1b[1;35m▸\x1b[0m \x1b[1m${text}\x1b[0m` : `\n▸ ${text}`);
}

/** Ends the program with a message for people instead of a stack. */
export function stop(text, code = 1) {
  console.error(`\n${text}`);
  process.exit(code);
}

/** Runs a command to its end with visible output. Returns the exit status, or 127 if it could not start. */
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

/**
 * Like `show`, for a command that runs in parallel with others: each line of its output begins with `name`.
 */
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
 * Like `show`, and also passes every line of standard output to `line`. If there is no output for `silence`
 * minutes, the command's children count as hung and are ended, so that the command itself can report it and
 * continue.
 */
export function showAndRead(command, args, line, { silence, ...options }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"], ...options });
    const watch = setTimeout(() => {
      console.error(`\n${command}: no output for ${silence} minutes, so the command is ended.`);
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

/** Returns standard output of a short command, or null if it failed or does not exist. */
export function answer(command, args, options = {}) {
  const stdio = ["ignore", "pipe", "ignore"];
  const done = spawnSync(command, args, { cwd: root, encoding: "utf8", stdio, ...options });
  return done.status === 0 ? done.stdout.trim() : null;
}

export function has(command) {
  const names = process.platform === "win32" ? [`${command}.exe`, `${command}.cmd`] : [command];
  return (process.env.PATH ?? "")
    .split(path.delimiter)
    .some((folder) => names.some((name) => existsSync(path.join(folder, name))));
}

/**
 * Returns cargo's build folder, which the user may have set for all builds. Programs that are started later
 * use the same folder.
 */
export function buildFolder() {
  if (process.env.CARGO_TARGET_DIR === undefined) {
    const metadata = answer("cargo", cargo("metadata", "--no-deps", "--format-version", "1", "--offline"));
    // Without cargo, no build folder exists yet, so this is the default.
    if (metadata === null) return path.join(root, "src-tauri/target");
    process.env.CARGO_TARGET_DIR = JSON.parse(metadata).target_directory;
  }
  return path.resolve(root, process.env.CARGO_TARGET_DIR);
}

/** Returns the path of a program that cargo built; `profile` is the folder's name. */
export function builtProgram(name, profile = "debug") {
  return path.join(buildFolder(), profile, process.platform === "win32" ? `${name}.exe` : name);
}

export function cargo(...args) {
  return [args[0], "--manifest-path", path.join(root, "src-tauri/Cargo.toml"), ...args.slice(1)];
}
